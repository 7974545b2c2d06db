// Makes spans of the events that a pod commits: a run, its wait in the queue, takeovers, model calls, tool calls, approvals. A span
// is made when its last event is committed. If another pod committed its first event, that event is read from the log.

import type { EventData, LogEvent } from '@continuo/protocol';
import { ATTRIBUTES, OPERATIONS, SPANS } from './names.ts';
import { spanIdOf, traceIdOf, type Span, type TracedRun } from './span.ts';

/** Content is cut off after so many characters. */
const MOST_CONTENT = 10_000;

/** Traces the events of a thread, until its owner releases it. */
export type OpenTrace = (
  threadId: string,
  runOf: (runId: string) => TracedRun | null,
) => Pick<ThreadTrace, 'committed'>;

export interface ThreadTraceOptions {
  /** The run, while it is open; null if this pod does not know it. */
  readonly runOf: (runId: string) => TracedRun | null;
  /** The events of the run that begin a span. */
  readonly readBeginnings: (runId: string) => Promise<readonly LogEvent[]>;
  readonly emit: (span: Span) => void;
  /** Whether spans contain what models wrote and what tools got and returned. */
  readonly content: boolean;
}

type Beginning = Extract<LogEvent, { type: 'tool_start' | 'approval' }>;

interface OpenRun {
  readonly run: TracedRun;
  readonly spanId: string;
  readonly beginnings: Map<string, Beginning>;
  /** This pod committed the run's first event, so it has seen all beginnings. */
  readonly isWhole: boolean;
  ended: EventData['message_end'] | null;
  failure: EventData['error'] | null;
}

/** The events of one thread while one pod owns it. */
export class ThreadTrace {
  readonly #options: ThreadTraceOptions;
  readonly #runs = new Map<string, OpenRun>();

  constructor(options: ThreadTraceOptions) {
    this.#options = options;
  }

  committed(events: readonly LogEvent[]): void {
    for (const event of events) {
      // Pieces of text are most of a log, and no spans.
      if (event.runId === null || event.type === 'token' || event.type === 'reasoning') continue;
      const open = this.#runs.get(event.runId) ?? this.#open(event.runId, event);
      if (open) this.#take(open, event);
    }
  }

  #open(runId: string, first: LogEvent): OpenRun | null {
    const run = this.#options.runOf(runId);
    if (!run) return null;
    const open: OpenRun = {
      run,
      spanId: spanIdOf(run.id, 'run'),
      beginnings: new Map(),
      isWhole: first.runSeq === 1,
      ended: null,
      failure: null,
    };
    this.#runs.set(runId, open);
    return open;
  }

  #take(open: OpenRun, event: LogEvent): void {
    switch (event.type) {
      case 'state':
        return this.#takeState(open, event.data, event.at.getTime());
      case 'message_end':
        open.ended = event.data;
        return;
      case 'error':
        open.failure = event.data;
        return;
      case 'usage':
        return this.#endModelCall(open, event.data, event.at.getTime());
      case 'tool_start':
        open.beginnings.set(`tool/${event.data.call}`, event);
        return;
      case 'approval':
        open.beginnings.set(`approval/${event.data.approval}`, event);
        return;
      case 'tool_end': {
        const { data } = event;
        return this.#withBeginning(open, `tool/${data.call}`, (began) =>
          this.#endToolCall(open, data, { began, end: event.at.getTime() }),
        );
      }
      case 'approval_end': {
        const { data } = event;
        return this.#withBeginning(open, `approval/${data.approval}`, (began) =>
          this.#endApproval(open, data, { began, end: event.at.getTime() }),
        );
      }
      default:
    }
  }

  #takeState(open: OpenRun, state: EventData['state'], at: number): void {
    const { run } = open;
    if (state.status !== 'running') return this.#endRun(open, state.status, at);
    // A retry by the same pod has a cause; the model call that failed has a span of its own.
    if (state.cause) return;
    const isFirst = state.attempt === 1;
    this.#emit(open, isFirst ? 'queue' : `takeover/${state.attempt}`, {
      name: isFirst ? SPANS.queue : SPANS.takeover,
      kind: 'internal',
      start: isFirst ? run.queuedAt : at,
      end: at,
      attributes: { [ATTRIBUTES.attempt]: state.attempt },
      failure: null,
    });
  }

  #endRun(open: OpenRun, status: string, end: number): void {
    const { run, failure } = open;
    this.#runs.delete(run.id);
    this.#options.emit({
      traceId: traceIdOf(run),
      spanId: open.spanId,
      parentSpanId: run.parent === null ? null : spanIdOf(run.parent, 'run'),
      name: SPANS.run(run.role),
      kind: 'internal',
      start: run.queuedAt,
      end,
      attributes: {
        ...aboutRun(run),
        [ATTRIBUTES.operation]: OPERATIONS.run,
        [ATTRIBUTES.role]: run.role,
        [ATTRIBUTES.workspace]: run.workspaceId,
        [ATTRIBUTES.status]: status,
        [ATTRIBUTES.error]: failure?.code,
      },
      failure: failure?.error ?? null,
    });
  }

  #endModelCall(open: OpenRun, data: EventData['usage'], end: number): void {
    const { message, model, usage, cost, duration_ms } = data;
    const answer = open.ended?.message === message ? open.ended : null;
    const slash = model.indexOf('/');
    this.#emit(open, message, {
      name: SPANS.model(model),
      kind: 'client',
      start: end - duration_ms,
      end,
      attributes: {
        [ATTRIBUTES.operation]: OPERATIONS.model,
        [ATTRIBUTES.provider]: slash === -1 ? undefined : model.slice(0, slash),
        [ATTRIBUTES.model]: model.slice(slash + 1),
        [ATTRIBUTES.message]: message,
        [ATTRIBUTES.inputTokens]: usage.input,
        [ATTRIBUTES.cachedTokens]: usage.cachedInput,
        [ATTRIBUTES.outputTokens]: usage.output,
        [ATTRIBUTES.cost]: cost ?? undefined,
        [ATTRIBUTES.finishReasons]: answer?.reason && [answer.reason],
        [ATTRIBUTES.error]: answer?.error?.code,
        [ATTRIBUTES.answer]: this.#content(answer?.text),
      },
      failure: answer?.error?.error ?? null,
    });
  }

  #endToolCall(
    open: OpenRun,
    { tool, call, success, outcome, output }: EventData['tool_end'],
    { began, end }: { began: Beginning | undefined; end: number },
  ): void {
    this.#emit(open, `tool/${call}`, {
      name: SPANS.tool(tool),
      kind: 'internal',
      start: began?.at.getTime() ?? end,
      end,
      attributes: {
        [ATTRIBUTES.operation]: OPERATIONS.tool,
        [ATTRIBUTES.tool]: tool,
        [ATTRIBUTES.call]: call,
        [ATTRIBUTES.outcome]: outcome,
        [ATTRIBUTES.error]: success ? undefined : (outcome ?? 'tool_failed'),
        [ATTRIBUTES.input]: this.#content(began?.type === 'tool_start' ? began.data.input : undefined),
        [ATTRIBUTES.output]: this.#content(output),
      },
      failure: success ? null : (outcome ?? 'the tool failed'),
    });
  }

  #endApproval(
    open: OpenRun,
    { tool, call, approval, decision }: EventData['approval_end'],
    { began, end }: { began: Beginning | undefined; end: number },
  ): void {
    this.#emit(open, `approval/${approval}`, {
      name: SPANS.approval(tool),
      kind: 'internal',
      start: began?.at.getTime() ?? end,
      end,
      attributes: {
        [ATTRIBUTES.tool]: tool,
        [ATTRIBUTES.call]: call,
        [ATTRIBUTES.kind]: began?.type === 'approval' ? began.data.kind : undefined,
        [ATTRIBUTES.decision]: decision,
      },
      failure: null,
    });
  }

  /** Without its beginning, which could not be read, the span has no length. */
  #withBeginning(open: OpenRun, key: string, use: (began: Beginning | undefined) => void): void {
    const began = open.beginnings.get(key);
    open.beginnings.delete(key);
    if (began || open.isWhole) return use(began);
    this.#options
      .readBeginnings(open.run.id)
      .then((events) => events.findLast((event) => keyOf(event) === key) as Beginning | undefined)
      .catch(() => undefined)
      .then(use)
      // A span must not break the run that it describes.
      .catch(() => undefined);
  }

  #emit(open: OpenRun, part: string, span: Omit<Span, 'traceId' | 'spanId' | 'parentSpanId'>): void {
    const { run } = open;
    this.#options.emit({
      ...span,
      traceId: traceIdOf(run),
      spanId: spanIdOf(run.id, part),
      parentSpanId: open.spanId,
      attributes: { ...aboutRun(run), ...span.attributes },
    });
  }

  #content(value: unknown): string | undefined {
    if (!this.#options.content || value === undefined) return undefined;
    return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MOST_CONTENT);
  }
}

function aboutRun({ id, threadId }: TracedRun): Span['attributes'] {
  return { [ATTRIBUTES.run]: id, [ATTRIBUTES.thread]: threadId };
}

function keyOf(event: LogEvent): string | null {
  if (event.type === 'tool_start') return `tool/${event.data.call}`;
  return event.type === 'approval' ? `approval/${event.data.approval}` : null;
}
