// The title of the page, for the tab and the top of a narrow screen.

import { useEffect } from 'react';
import { createStore } from '../data/store.ts';

export const pageTitle = createStore('');

export function useTitle(title: string): void {
  useEffect(() => {
    pageTitle.set(title);
  }, [title]);
}
