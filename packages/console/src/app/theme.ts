// Light or dark: follows the system unless the person has chosen.

import { createStore } from '../data/store.ts';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'continuo-theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

export const theme = createStore<Theme>((localStorage.getItem(KEY) as Theme | null) ?? 'system');

export function applyTheme(): void {
  const show = () => {
    const chosen = theme.get();
    document.documentElement.dataset.theme = chosen === 'system' ? (dark.matches ? 'dark' : 'light') : chosen;
  };
  theme.subscribe(() => {
    localStorage.setItem(KEY, theme.get());
    show();
  });
  dark.addEventListener('change', show);
  show();
}
