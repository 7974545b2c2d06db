// The person's token in this browser. The token is kept as a cookie that scripts cannot read. A request that is refused
// without it waits here and is then sent again.

import { createStore } from './store.ts';

/** `asking`: requests wait for the token. */
export const personGate = createStore<'idle' | 'asking'>('idle');

const waiting = new Set<(isPerson: boolean) => void>();

/** Stores the token of the page's address, and removes it from the address. */
export async function storeTokenFromAddress(): Promise<void> {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  // An old link has a wrong token: the console asks for the right one when a request needs it.
  await storeToken(token).catch(() => undefined);
}

/** Null if the token was accepted: waiting requests are sent again. Otherwise the reason. */
export async function storeToken(token: string): Promise<string | null> {
  const response = await fetch('/api/person', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  if (!response.ok) return ((await response.json()) as { detail: string }).detail;
  settle(true);
  return null;
}

/** Another tab may have stored the token. */
export async function recheckPerson(): Promise<void> {
  const response = await fetch('/api/person').catch(() => null);
  if (response?.ok && ((await response.json()) as { person: boolean }).person) settle(true);
}

export function dismissPersonGate(): void {
  settle(false);
}

function settle(isPerson: boolean): void {
  personGate.set('idle');
  for (const resolve of waiting) resolve(isPerson);
  waiting.clear();
}

/** Sends a request; if it needs a person, asks for the token and sends it again. */
export async function sendAsPerson(send: () => Promise<Response>): Promise<Response> {
  const response = await send();
  if (response.status !== 403 || !(await needsPerson(response))) return response;
  personGate.set('asking');
  const isPerson = await new Promise<boolean>((resolve) => waiting.add(resolve));
  return isPerson ? send() : response;
}

async function needsPerson(response: Response): Promise<boolean> {
  const problem = (await response
    .clone()
    .json()
    .catch(() => null)) as { code?: unknown } | null;
  return problem?.code === 'person_required';
}
