// The client of all pages. The workspace is stored for the tab and for new tabs; the API key, if the server requires
// one, is stored for the tab.

import { createClient, InputError } from '@continuo/client';
import { sendAsPerson } from './person.ts';
import { createStore } from './store.ts';

const KEY = 'continuo-key';
const WORKSPACE = 'continuo-workspace';

/** `locked`: the server requires a key that this tab does not have. */
export const access = createStore<'open' | 'locked'>('open');

/** The id of the chosen workspace, or `default`. */
export const workspace = sessionStorage.getItem(WORKSPACE) ?? localStorage.getItem(WORKSPACE) ?? 'default';
// So that another tab's choice does not change this tab.
sessionStorage.setItem(WORKSPACE, workspace);

/**
 * Null: the default workspace. The caller must reload the page, because all fetched data is from the previous
 * workspace.
 */
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

/** Whether the server accepts the key. */
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
