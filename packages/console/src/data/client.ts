// The client that every page uses, and the key that it sends, where the server wants one. The key is kept for the tab.

import { createClient, InputError } from '@continuo/client';
import { createStore } from './store.ts';

const KEY = 'continuo-key';

/** `locked`: the server wants a key that it has not got. */
export const access = createStore<'open' | 'locked'>('open');

export const client = createClient({
  fetch: async (input, init) => {
    const key = sessionStorage.getItem(KEY);
    const headers = new Headers(init?.headers);
    if (key !== null) headers.set('authorization', `Bearer ${key}`);
    const response = await fetch(input, { ...init, headers });
    if (response.status === 401) access.set('locked');
    return response;
  },
});

/** Whether the server takes the key. */
export async function unlock(key: string): Promise<boolean> {
  try {
    await createClient({ apiKey: key }).workspaces.get();
  } catch (error) {
    if (error instanceof InputError || (error as { code?: string }).code === 'unauthorized') return false;
    throw error;
  }
  sessionStorage.setItem(KEY, key);
  access.set('open');
  return true;
}
