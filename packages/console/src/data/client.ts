// The client that every page uses: the workspace that it shows, which is kept for the tab, and for new tabs of the browser, and the key that
// it sends, where the server wants one, which is kept for the tab.

import { createClient, InputError } from '@continuo/client';
import { sendAsPerson } from './person.ts';
import { createStore } from './store.ts';

const KEY = 'continuo-key';
const WORKSPACE = 'continuo-workspace';

/** `locked`: the server wants a key that it has not got. */
export const access = createStore<'open' | 'locked'>('open');

/** The id of the workspace that was chosen, or the name of the one that every server has. */
export const workspace = sessionStorage.getItem(WORKSPACE) ?? localStorage.getItem(WORKSPACE) ?? 'default';
// What another tab chooses is not this one's.
sessionStorage.setItem(WORKSPACE, workspace);

/** Null: the one that every server has. All that was read is of another one: the page is to be loaded anew. */
export function chooseWorkspace(id: string | null): void {
  for (const storage of [sessionStorage, localStorage]) {
    if (id === null) storage.removeItem(WORKSPACE);
    else storage.setItem(WORKSPACE, id);
  }
}

export const client = createClient({
  workspace,
  fetch: async (input, init) => {
    const key = sessionStorage.getItem(KEY);
    const headers = new Headers(init?.headers);
    if (key !== null) headers.set('authorization', `Bearer ${key}`);
    const response = await sendAsPerson(() => fetch(input, { ...init, headers }));
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
