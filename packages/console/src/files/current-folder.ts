// The folder whose page is open; null if another page is.

import { createStore } from '../data/store.ts';

export const currentFolder = createStore<string | null>(null);
