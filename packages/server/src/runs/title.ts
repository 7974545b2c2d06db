// A chat's title: a model is asked for one, once. Without a model, or if it has nothing to say, it is how the chat began.

import type { EventData } from '@continuo/protocol';
import type { Agents } from '../agents/agent.ts';
import { keepable } from '../log/group.ts';
import type { HistoryMessage, Model } from '../models/model.ts';
import { costOf } from '../models/prices.ts';
import type { ThreadState } from './fold.ts';

/** Characters of a title at most. */
const LONGEST = 80;
/** How much of what was said a model is shown, in characters. */
const SHOWN = 2000;
/** How long it may think about it. */
const PATIENCE_MS = 15_000;
const SYSTEM =
  'You give conversations their titles. Answer with the title alone: at most six words, in the language of the conversation, ' +
  'without quotation marks and without a full stop.';

export async function makeTitle(
  agents: Agents,
  workspaceId: string,
  history: ThreadState['history'],
  signal: AbortSignal,
): Promise<EventData['titled']> {
  const first = history.find(({ entry }) => entry.role === 'user')?.entry;
  const goal = first?.role === 'user' ? first.content : '';
  const plain = { title: cut(goal) || 'Untitled' };
  const answer = history.findLast(({ entry }) => entry.role === 'assistant')?.entry;
  const name = answer?.role === 'assistant' ? answer.model : undefined;
  if (answer?.role !== 'assistant' || name === undefined || name.startsWith('offline/')) return plain;
  const made = await agents.make({ workspaceId, model: name });
  if (!made.ok) return plain;
  const said = answer.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
  const asked = await ask(
    made.agent.model,
    `${goal.slice(0, SHOWN)}\n\n---\n\n${said.slice(0, SHOWN)}`,
    signal,
  );
  return { ...asked, title: cut(asked.title) || plain.title };
}

async function ask(model: Model, content: string, signal: AbortSignal): Promise<EventData['titled']> {
  const history: HistoryMessage[] = [
    { role: 'user', id: 'title', content: `Give this conversation a title:\n\n${content}` },
  ];
  const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  let title = '';
  let usage: EventData['titled']['usage'];
  for await (const event of model.stream({
    messageId: 'title',
    system: SYSTEM,
    history,
    tools: [],
    signal: patience,
  })) {
    if (event.type === 'text_delta') title += event.text;
    if (event.type === 'message_stop') usage = event.usage;
    // A failure leaves the plain title; there is no second try.
    if (event.type === 'stream_error') return { title: '' };
  }
  return { title, model: model.id, ...(usage && { usage, cost: costOf(model.id, usage) }) };
}

/** One line, not too long, and without what models put around titles. */
function cut(text: string): string {
  const line = keepable(text)
    .trim()
    .split('\n')[0]!
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^["'“‘«#\s]+|["'”’».\s]+$/g, '');
  const characters = Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment);
  if (characters.length <= LONGEST) return line;
  const short = characters.slice(0, LONGEST - 1);
  return `${short.slice(0, Math.max(short.lastIndexOf(' '), LONGEST / 2)).join('')}…`;
}
