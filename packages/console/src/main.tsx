// The entry point of the console.

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { KeyGate } from './app/key-gate.tsx';
import { PersonGate } from './app/person-gate.tsx';
import { router } from './app/router.tsx';
import { applyTheme } from './app/theme.ts';
import { listenToHints } from './data/hints.ts';
import { preloadChat } from './data/live-chat.ts';
import { storeTokenFromAddress } from './data/person.ts';
import { queries } from './data/queries.ts';
import './style.css';

// The page's CSP allows only styles with this nonce; libraries that add styles at run time read it from here.
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
(globalThis as { __webpack_nonce__?: string | undefined }).__webpack_nonce__ = nonce;

await storeTokenFromAddress();
// Pasting the link into a tab that already shows the console changes only the hash.
window.addEventListener('hashchange', () => void storeTokenFromAddress());
preloadChat(location.pathname);
void router.load();
applyTheme();
listenToHints(queries);
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <KeyGate>
        <RouterProvider router={router} />
        <PersonGate />
      </KeyGate>
    </QueryClientProvider>
  </StrictMode>,
);
