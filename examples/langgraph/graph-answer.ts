// A LangGraph graph as the executor of runs. What the graph streams is the answer's text; what it interrupts for is a question to a
// person or a call of one of the server's tools; and its checkpoint is the state that the server keeps with the answer. So no process
// has to live while people think, and any worker can resume the graph.

import { Command, MemorySaver, type Interrupt, type StateGraph } from '@langchain/langgraph';
import {
  ask,
  finish,
  toolCall,
  type Answer,
  type ExecutorEvent,
  type Task,
  type ToolResult,
} from '@continuo/client/worker';

/** What a node may interrupt for. `call` names the call, such as the id of a tool call in a chat model's message. */
export type Wanted =
  | string
  /** Resumes with the person's answer, or null if there is none. */
  | { readonly question: string; readonly schema?: object; readonly call?: string }
  /** Resumes with a `ToolResult`. */
  | {
      readonly tool: string;
      readonly input: Readonly<Record<string, unknown>>;
      readonly call?: string | undefined;
    };

/** What is stored with an answer. */
interface Kept {
  readonly checkpoint: Checkpoint;
  /** The interrupts that the answer's calls are about, in order, and whether each asked a person. */
  readonly waiting: readonly { readonly id: string; readonly asked: boolean }[];
}

// eslint-disable-next-line typescript/no-explicit-any -- the graph's own types are of no interest here
type AnyGraph = StateGraph<any, any, any, any, any, any, any>;

/** The checkpoint of one thread, whose name inside the saver is always the same. */
const THREAD = { configurable: { thread_id: 'thread' } };

/**
 * `input` makes the graph's input of a new message. A node reads the assignment from `config.configurable.task`, and streams by
 * `config.writer`: a string is text, everything else an event of the protocol.
 */
export function graphAnswer(
  graph: AnyGraph,
  input: (task: Task) => Readonly<Record<string, unknown>>,
): Answer {
  return async function* answer(task) {
    const kept = task.state as Kept | null;
    const saver = new MemorySaver();
    if (kept) restore(saver, kept.checkpoint);
    const compiled = graph.compile({ checkpointer: saver });
    const isResumed = kept !== null && task.results.length > 0;
    const begin = isResumed ? new Command({ resume: resumed(kept, task.results) }) : input(task);
    const interrupts: Interrupt<Wanted>[] = [];
    let end: Extract<ExecutorEvent, { type: 'finish' | 'fail' }> = finish();
    const stream = await compiled.stream(begin, {
      configurable: { ...THREAD.configurable, task },
      streamMode: ['custom', 'messages', 'updates'],
      signal: task.signal,
    });
    for await (const [mode, chunk] of stream as AsyncIterable<[string, unknown]>) {
      if (mode === 'updates') interrupts.push(...interruptsIn(chunk));
      for (const event of mode === 'messages'
        ? textOf(chunk)
        : mode === 'custom'
          ? [chunk as string | ExecutorEvent]
          : []) {
        // A node may say what it used, or that it failed; the answer ends when the graph does.
        if (typeof event !== 'string' && (event.type === 'finish' || event.type === 'fail')) end = event;
        else yield event;
      }
    }
    if (end.type === 'fail') return yield end;
    yield* interrupts.map(({ value }) => callOf(value!));
    const waiting = interrupts.map(({ id, value }) => ({ id: id!, asked: isQuestion(value!) }));
    yield finish({ ...end, state: { checkpoint: keep(saver), waiting } satisfies Kept });
  };
}

function interruptsIn(update: unknown): readonly Interrupt<Wanted>[] {
  return (update as { __interrupt__?: readonly Interrupt<Wanted>[] }).__interrupt__ ?? [];
}

/** The text of a chat model's chunk. Other messages that nodes return, such as a tool's result, are not part of the answer. */
function textOf(chunk: unknown): readonly string[] {
  const [{ type, text }] = chunk as [{ type: string; text: string }, object];
  return type === 'ai' && text !== '' ? [text] : [];
}

function isQuestion(wanted: Wanted): boolean {
  return typeof wanted === 'string' || 'question' in wanted;
}

function callOf(wanted: Wanted): Extract<ExecutorEvent, { type: 'tool_call' }> {
  if (typeof wanted === 'string') return ask(wanted);
  if ('tool' in wanted) return toolCall(wanted.tool, wanted.input, wanted.call);
  const { question, ...more } = wanted;
  return ask(question, more);
}

/** What each interrupt resumes with, by its id. The results are in the order of the calls. */
function resumed({ waiting }: Kept, results: readonly ToolResult[]): Record<string, unknown> {
  return Object.fromEntries(
    waiting.map(({ id, asked }, index) => {
      const result = results[index];
      if (!asked) return [id, result];
      const { answered, answer } = (result?.output ?? {}) as { answered?: boolean; answer?: unknown };
      return [id, answered ? answer : null];
    }),
  );
}

// Checkpoints as JSON: of each namespace (a subgraph has its own) the newest, with the writes that belong to it.

interface Checkpoint {
  readonly namespaces: readonly {
    readonly name: string;
    readonly id: string;
    readonly checkpoint: string;
    readonly metadata: string;
    readonly writes: readonly (readonly [key: string, task: string, channel: string, value: string])[];
  }[];
}

const keyOf = (namespace: string, id: string) =>
  JSON.stringify([THREAD.configurable.thread_id, namespace, id]);
const toText = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const toBytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));

function keep({ storage, writes }: MemorySaver): Checkpoint {
  const namespaces = Object.entries(storage[THREAD.configurable.thread_id] ?? {}).map(
    ([name, checkpoints]) => {
      const id = Object.keys(checkpoints).toSorted().at(-1)!;
      const [checkpoint, metadata] = checkpoints[id]!;
      const pending = Object.entries(writes[keyOf(name, id)] ?? {});
      return {
        name,
        id,
        checkpoint: toText(checkpoint),
        metadata: toText(metadata),
        writes: pending.map(([key, [task, channel, value]]) => [key, task, channel, toText(value)] as const),
      };
    },
  );
  return { namespaces };
}

function restore(saver: MemorySaver, { namespaces }: Checkpoint): void {
  for (const { name, id, checkpoint, metadata, writes } of namespaces) {
    const thread = (saver.storage[THREAD.configurable.thread_id] ??= {});
    thread[name] = { [id]: [toBytes(checkpoint), toBytes(metadata), undefined] };
    saver.writes[keyOf(name, id)] = Object.fromEntries(
      writes.map(([key, task, channel, value]) => [key, [task, channel, toBytes(value)]]),
    );
  }
}
