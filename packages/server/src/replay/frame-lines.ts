// The bytes that clients of every dialect get.

import { createHash } from 'node:crypto';
import {
  agent,
  agUi,
  aiSdk,
  runs,
  thread,
  threadEventJson,
  workspace,
  type LogEvent,
  type RunDialect,
} from '@continuo/protocol';
import {
  DialectWriter,
  positionAtStart,
  unnumbered,
  type DialectBinding,
} from '../http/streams/dialect-stream.ts';
import type { StoredEvent } from '../log/event.ts';
import { Batch } from '../log/follow.ts';
import { runIdsIn } from './places.ts';

// Each dialect has a state of its own.
// oxlint-disable-next-line typescript/no-explicit-any
type AnySpoken = DialectBinding<any>;
// oxlint-disable-next-line typescript/no-explicit-any
type AnyRunDialect = RunDialect<any>;

const QUESTION = { id: 'u1', role: 'user', content: 'hello' };
const AG_UI = agUi({ threadId: 'thread', runId: 'run', messages: [QUESTION] });
const AG_UI_GET = agUi({ threadId: 'thread', runId: 'run', messages: null });

const OF_THREADS: Readonly<Record<string, AnySpoken>> = {
  thread: { dialect: thread, json: threadEventJson },
  workspace: { dialect: workspace },
};
const OF_RUNS: Readonly<Record<string, AnySpoken>> = {
  runs: { dialect: runs },
  agent: { dialect: agent },
  'ai-sdk': { dialect: aiSdk, closing: 'data: [DONE]\n\n' },
  'ag-ui': { dialect: AG_UI, alone: true },
};
const IN_RESPONSES: Readonly<Record<string, AnyRunDialect>> = { 'ai-sdk': aiSdk, 'ag-ui': AG_UI };
/** These say a log in its own words: a digest is enough to see that they still do. */
const VERBATIM: ReadonlySet<string> = new Set(['thread', 'runs']);

/** The bytes that clients get, dialect by dialect; the lines that begin with `#` stand between them. */
export function frameLines(log: readonly StoredEvent[]): string[] {
  return [
    ...Object.entries(OF_THREADS).flatMap(([name, binding]) => streamLines(name, binding, log, null)),
    ...Array.from(runsIn(log)).flatMap(([runId, events]) => [
      ...Object.entries(OF_RUNS).flatMap(([name, binding]) => streamLines(name, binding, events, runId)),
      ...unknownConversationLines(events, runId),
      ...Object.entries(IN_RESPONSES).flatMap(([name, dialect]) => responseLines(name, dialect, events)),
    ]),
  ];
}

function runsIn(log: readonly StoredEvent[]): Map<string, StoredEvent[]> {
  const byRun = new Map<string, StoredEvent[]>(runIdsIn(log).map((runId) => [runId, []]));
  for (const event of log) if (event.runId !== null) byRun.get(event.runId)!.push(event);
  return byRun;
}

/** AG-UI as a client gets it that did not send its conversation: the frames that are not the same for it. */
function unknownConversationLines(log: readonly StoredEvent[], runId: string): string[] {
  const sent = new Set(streamBytes(OF_RUNS['ag-ui']!, log, runId).split('\n\n'));
  const bytes = streamBytes({ dialect: AG_UI_GET, alone: true }, log, runId);
  return [
    `# ag-ui, run ${runId}, of a conversation that is not known`,
    `# ${digest(bytes)}`,
    ...bytes
      .split('\n\n')
      .filter((frame) => !sent.has(frame))
      .flatMap((frame) => frame.split('\n')),
  ];
}

function streamBytes(
  binding: AnySpoken,
  log: readonly StoredEvent[],
  runId: string | null,
  pressed = false,
): string {
  const scope = { threadId: log[0]!.threadId, run: runId === null ? null : { id: runId, startAfter: 0 } };
  const writer = new DialectWriter(binding, scope, positionAtStart(binding.dialect, scope));
  return writer.say(new Batch([...log]), pressed).bytes?.toString() ?? '';
}

function streamLines(
  name: string,
  binding: AnySpoken,
  log: readonly StoredEvent[],
  runId: string | null,
): string[] {
  const bytes = streamBytes(binding, log, runId);
  const pressed = streamBytes(binding, log, runId, true);
  return [
    `# ${name}, ${runId === null ? 'thread' : `run ${runId}`}`,
    ...(VERBATIM.has(name) ? [`# ${digest(bytes)}`] : bytes.split('\n')),
    ...(pressed === bytes ? [] : [`# under pressure: ${digest(pressed)}`]),
  ];
}

function digest(bytes: string): string {
  const frames = bytes.split('\n\n').length - 1;
  return `${frames} frames, ${Buffer.byteLength(bytes)} bytes, sha256 ${sha256(bytes)}`;
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Where a response ends because people are asked: what it says last, and what the next one begins with. */
function responseLines(name: string, dialect: AnyRunDialect, events: readonly LogEvent[]): string[] {
  let state: unknown = dialect.initial;
  return events.flatMap((event) => {
    [state] = dialect.step(state, event);
    const closing = dialect.closing(state);
    if (!closing) return [];
    return [
      `# ${name}, a response that ends after event ${event.runSeq}, and the one after it`,
      ...unnumbered(closing).split('\n'),
      ...unnumbered(dialect.opening(state)).split('\n'),
    ];
  });
}
