// What the page is called, in the tab and at the top of a narrow screen.

import { useEffect } from 'react';
import { createStore } from '../data/store.ts';

export const pageTitle = createStore('');

export function useTitle(title: string): void {
  useEffect(() => {
    pageTitle.set(title);
  }, [title]);
}
