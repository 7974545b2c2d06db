// Chats that tests open over HTTP, and what the server tells of their runs.

import type { RunEvent } from '@continuo/client';

interface Opened {
  readonly chat: string;
  readonly run: string;
}

/** Opens a chat in which the offline model does what the steps say. */
export async function openScript(
  base: string,
  title: string,
  steps: readonly object[],
  workspace = 'default',
): Promise<Opened> {
  const response = await fetch(`${base}/api/v1/workspaces/${workspace}/chats`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ goal: JSON.stringify({ steps }), title, model: 'offline/script' }),
  });
  const { chat, run } = (await response.json()) as { chat: { id: string }; run: { id: string } };
  return { chat: chat.id, run: run.id };
}

/** The ids of those of the workspace, a page of them. */
export async function chatsOf(base: string): Promise<string[]> {
  const response = await fetch(`${base}/api/v1/workspaces/default/chats?limit=1000`);
  return ((await response.json()) as { items: { id: string }[] }).items.map(({ id }) => id);
}

/** A chat in which nothing was said yet. */
export async function openThread(base: string): Promise<string> {
  const response = await fetch(`${base}/api/threads`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  return ((await response.json()) as { id: string }).id;
}

/** Says something in a chat, with the steps that the offline model then takes; answers the run. */
export async function sayScript(base: string, chat: string, steps: readonly object[]): Promise<string> {
  const response = await fetch(`${base}/api/threads/${chat}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ content: JSON.stringify({ steps }), model: 'offline/script' }),
  });
  return ((await response.json()) as { run: { id: string } }).run.id;
}

/** Resolves when the run has ended. */
export async function ended(base: string, run: string): Promise<void> {
  await (await fetch(`${base}/api/runs/${run}/events`)).text();
}

/** Its events until now. */
export async function eventsOf(base: string, run: string): Promise<RunEvent[]> {
  const response = await fetch(`${base}/api/runs/${run}/events?format=json&limit=1000`);
  return ((await response.json()) as { items: RunEvent[] }).items;
}
