// Builds the console, and fails if the first load is too big.

import { gzipSync } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** The limit of scripts and styles that a browser loads before it shows anything, gzipped. */
const ENTRY_BYTES = 200 * 1000;

const COMMON = /lucide-react|console\/src\/(app|data)\/|console\/src\/ui\/[^/]+(?<!merge-view)\.tsx$/;

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), onlyWoff2(), entrySize()],
  // The server replaces this with a fresh nonce for each page.
  html: { cspNonce: 'continuo-nonce' },
  build: {
    target: 'es2024',
    modulePreload: { polyfill: false },
    // The page's CSP does not allow inlined data: URLs.
    assetsInlineLimit: 0,
    // The layout of diagrams, which is loaded with the first one.
    chunkSizeWarningLimit: 1600,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Modules that nearly every page needs are in the entry: a page then loads a few files, not one per icon.
        codeSplitting: { groups: [{ name: 'common', test: COMMON }] },
      },
    },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:4400' } },
});

/** KaTeX's fonts, without the formats that no browser of the target needs. */
function onlyWoff2(): Plugin {
  return {
    name: 'only-woff2',
    enforce: 'pre',
    transform: {
      filter: { id: /katex.*\.css$/ },
      handler: (code) => code.replaceAll(/,url\([^)]+\.(?:woff|ttf)\) format\("[^"]+"\)/g, ''),
    },
  };
}

function entrySize(): Plugin {
  return {
    name: 'entry-size',
    apply: 'build',
    generateBundle(_options, bundle) {
      const needed = new Set<string>();
      const take = (name: string) => {
        const file = bundle[name];
        if (!file || needed.has(name)) return;
        needed.add(name);
        if (file.type === 'chunk') file.imports.forEach(take);
      };
      for (const [name, file] of Object.entries(bundle)) {
        if ((file.type === 'chunk' && file.isEntry) || /index-.*\.css$/.test(name)) take(name);
      }
      const bytes = [...needed].reduce((sum, name) => {
        const file = bundle[name];
        const content = file?.type === 'chunk' ? file.code : (file?.source ?? '');
        return sum + gzipSync(content, { level: 9 }).length;
      }, 0);
      this.info(`entry: ${(bytes / 1000).toFixed(1)} kB gzip of ${ENTRY_BYTES / 1000}`);
      if (bytes > ENTRY_BYTES)
        this.error(`The entry has ${bytes} bytes gzip; allowed: ${ENTRY_BYTES}. Load something of it later.`);
    },
  };
}
