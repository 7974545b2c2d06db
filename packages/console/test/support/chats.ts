// Helpers to open chats over HTTP and to read their runs.

import type { RunEvent } from '@continuo/client';

interface Opened {
  readonly chat: string;
  readonly run: string;
}

/** A removal of nothing is refused and asks nobody: files that the steps remove, and that nothing has written yet, are written. */
async function writeRemoved(base: string, steps: readonly object[], workspace = 'default'): Promise<void> {
  const calls = (steps as readonly { readonly calls?: readonly ScriptedCall[] }[]).flatMap(
    (step) => step.calls ?? [],
  );
  const pathsOf = (tool: string) =>
    calls.flatMap((call) => (call.tool === tool ? [String(call.input['path'])] : []));
  const written = pathsOf('write');
  for (const path of pathsOf('remove').filter((each) => !written.includes(each))) {
    const url = `${base}/api/v1/workspaces/${workspace}/files${encodeURI(path)}`;
    if ((await fetch(url)).status === 404) await fetch(url, { method: 'PUT', body: 'To be removed.' });
  }
}

interface ScriptedCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Opens a chat in which the offline model follows the given steps. */
export async function openScript(
  base: string,
  title: string,
  steps: readonly object[],
  workspace = 'default',
): Promise<Opened> {
  await writeRemoved(base, steps, workspace);
  const response = await fetch(`${base}/api/v1/workspaces/${workspace}/chats`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ goal: JSON.stringify({ steps }), title, model: 'offline/script' }),
  });
  const { chat, run } = (await response.json()) as { chat: { id: string }; run: { id: string } };
  return { chat: chat.id, run: run.id };
}

/** The ids of the workspace's chats, one page. */
export async function chatsOf(base: string): Promise<string[]> {
  const response = await fetch(`${base}/api/v1/workspaces/default/chats?limit=1000`);
  return ((await response.json()) as { items: { id: string }[] }).items.map(({ id }) => id);
}

/** Opens a chat without a message. */
export async function openThread(base: string): Promise<string> {
  const response = await fetch(`${base}/api/threads`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  return ((await response.json()) as { id: string }).id;
}

/** Sends a message with the steps that the offline model follows; returns the run's id. */
export async function sayScript(base: string, chat: string, steps: readonly object[]): Promise<string> {
  await writeRemoved(base, steps);
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

/** The run's events so far. */
export async function eventsOf(base: string, run: string): Promise<RunEvent[]> {
  const response = await fetch(`${base}/api/runs/${run}/events?format=json&limit=1000`);
  return ((await response.json()) as { items: RunEvent[] }).items;
}
