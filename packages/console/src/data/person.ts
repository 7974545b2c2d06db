// Whether a person uses this browser. What agents may do is decided with a token that only a person has; the browser keeps
// it as a cookie, which no script can read. A request that was refused for want of it waits here, and is sent again.

import { createStore } from './store.ts';

/** `asking`: requests wait for the token. */
export const personGate = createStore<'idle' | 'asking'>('idle');

const waiting = new Set<(isPerson: boolean) => void>();

/** Keeps the token that the page was opened with, and takes it out of the address. */
export async function keepTokenInAddress(): Promise<void> {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  // An old link carries a wrong token: the console asks for the right one when a route needs it.
  await keepToken(token).catch(() => undefined);
}

/** Null: it is kept, and what waited for it goes on; else what is wrong with it. */
export async function keepToken(token: string): Promise<string | null> {
  const response = await fetch('/api/person', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  if (!response.ok) return ((await response.json()) as { detail: string }).detail;
  settle(true);
  return null;
}

/** The token may have come by another tab. */
export async function lookAgain(): Promise<void> {
  const response = await fetch('/api/person').catch(() => null);
  if (response?.ok && ((await response.json()) as { person: boolean }).person) settle(true);
}

export function giveUp(): void {
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
