// Chats that tests open over HTTP, and what the server tells of their runs.

interface Opened {
  readonly chat: string;
  readonly run: string;
}

/** Opens a chat in which the offline model does what the steps say. */
export async function openScript(base: string, title: string, steps: readonly object[]): Promise<Opened> {
  const response = await fetch(`${base}/api/v1/workspaces/default/chats`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ goal: JSON.stringify({ steps }), title, model: 'offline/script' }),
  });
  const { chat, run } = (await response.json()) as { chat: { id: string }; run: { id: string } };
  return { chat: chat.id, run: run.id };
}

/** Its events until now. */
export async function eventsOf(base: string, run: string): Promise<{ type: string; id: number }[]> {
  const response = await fetch(`${base}/api/runs/${run}/events?format=json&limit=1000`);
  return ((await response.json()) as { items: { type: string; id: number }[] }).items;
}
