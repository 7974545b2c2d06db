// Where the console begins.

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { KeyGate } from './app/key-gate.tsx';
import { PersonGate } from './app/person-gate.tsx';
import { router } from './app/router.tsx';
import { applyTheme } from './app/theme.ts';
import { listenToHints } from './data/hints.ts';
import { beginChat } from './data/live-chat.ts';
import { keepTokenInAddress } from './data/person.ts';
import { queries } from './data/queries.ts';
import './style.css';

// Styles that libraries make as they go: the page's policy lets only those with this number in.
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
(globalThis as { __webpack_nonce__?: string | undefined }).__webpack_nonce__ = nonce;

await keepTokenInAddress();
// The link, pasted into a tab that shows the console already, changes its address only.
window.addEventListener('hashchange', () => void keepTokenInAddress());
beginChat(location.pathname);
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
