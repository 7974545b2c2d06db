// Generates a chat's title with one model call. Without a model or an answer, the title is the beginning of the chat's goal.

import type { EventData } from '@continuo/protocol';
import { manifestChanges, recordRequest, type ContextChange } from '../../context/manifest.ts';
import { storableText } from '../../log/changes.ts';
import { writesTexts } from '../../models/executor-model.ts';
import type { Model, ModelRequest } from '../../models/model.ts';
import { costOf } from '../../models/prices.ts';
import type { ThreadState } from '../../threads/fold.ts';
import type { LoopOptions } from './step.ts';

/** Maximum characters of a title. */
const LONGEST = 80;
/** Maximum characters of the goal, and of the answer, that the model is shown. */
const SHOWN = 2000;
/** Timeout of the model call. */
const TIMEOUT_MS = 15_000;
const SYSTEM =
  'You write titles for conversations. Answer with only the title: at most six words, in the language of the conversation, ' +
  'without quotation marks and without a full stop.';

type Options = Pick<LoopOptions, 'agents' | 'metrics' | 'texts'>;

interface Thread {
  readonly workspaceId: string;
  readonly threadId: string;
}

interface Title {
  readonly titled: EventData['titled'];
  /** The manifest of the request, if a model was asked. */
  readonly manifests: readonly ContextChange[];
}

export async function makeTitle(
  options: Options,
  thread: Thread,
  history: ThreadState['history'],
  signal: AbortSignal,
): Promise<Title> {
  const first = history.find(({ entry }) => entry.role === 'user')?.entry;
  const goal = first?.role === 'user' ? first.content : '';
  const plain: Title = { titled: { title: cut(goal) || 'Untitled' }, manifests: [] };
  const answer = history.findLast(({ entry }) => entry.role === 'assistant')?.entry;
  const name = answer?.role === 'assistant' ? answer.model : undefined;
  if (answer?.role !== 'assistant' || name === undefined || !writesTexts(name)) return plain;
  const made = await options.agents.make({ workspaceId: thread.workspaceId, model: name });
  if (!made.ok) return plain;
  const said = answer.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
  const shown = `${goal.slice(0, SHOWN)}\n\n---\n\n${said.slice(0, SHOWN)}`;
  const { model } = made.agent;
  const content = `Give this conversation a title:\n\n${shown}`;
  const request: ModelRequest = {
    messageId: 'title',
    system: SYSTEM,
    history: [{ role: 'user', id: 'title', content }],
    tools: [],
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  };
  const recorded = recordRequest(options.texts, {
    ...thread,
    purpose: 'title',
    answer: null,
    model: model.id,
    request,
    system: [{ kind: 'task', text: SYSTEM, source: { kind: 'text', name: 'title' } }],
    history: null,
  });
  const asked = await ask(options, model, request);
  await recorded.stored;
  return {
    titled: { ...asked, title: cut(asked.title) || plain.titled.title },
    manifests: manifestChanges([recorded]),
  };
}

async function ask(
  { metrics }: Pick<Options, 'metrics'>,
  model: Model,
  request: ModelRequest,
): Promise<EventData['titled']> {
  const began = performance.now();
  let title = '';
  let ended = 'interrupted';
  let usage: EventData['titled']['usage'];
  for await (const event of model.stream(request)) {
    if (event.type === 'text_delta') title += event.text;
    if (event.type === 'message_stop') {
      ended = 'complete';
      usage = event.usage;
    }
    if (event.type === 'stream_error') ended = 'error';
  }
  const cost = usage ? costOf(model.id, usage) : null;
  const seconds = (performance.now() - began) / 1000;
  metrics.modelCalled({ model: model.id, ended, seconds, usage: { ...usage }, cost });
  // After an error the caller uses the fallback title. There is no retry.
  if (ended === 'error') return { title: '' };
  return { title, model: model.id, ...(usage && { usage, cost }) };
}

/** Reduces a text to one short line, without the quotation marks and heading signs that models put around titles. */
function cut(text: string): string {
  // Only the beginning counts: splitting a long line into characters would block the event loop.
  const line = storableText(text.trimStart().slice(0, SHOWN))
    .trim()
    .split('\n')[0]!
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^["'“‘«#\s]+|["'”’».\s]+$/g, '');
  const characters = Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment);
  if (characters.length <= LONGEST) return line;
  const short = characters.slice(0, LONGEST - 1);
  return `${short.slice(0, Math.max(short.lastIndexOf(' '), LONGEST / 2)).join('')}…`;
}
