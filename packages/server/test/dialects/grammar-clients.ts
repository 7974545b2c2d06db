// What a client of the AI SDK or of AG-UI may rely on: what is opened is closed, once, and nothing comes after the end.

import type { LogEvent } from '@continuo/protocol';
import type { Check, SentFrame } from './grammar.ts';

/** How the run ended; null if it has not. */
function endOf(events: readonly LogEvent[]): 'done' | 'error' | 'canceled' | null {
  const last = events.at(-1)!;
  return last.type === 'state' && last.data.status !== 'running' ? last.data.status : null;
}

/** Names that are opened and closed, each once at a time. */
class Open {
  readonly #names = new Set<string>();
  readonly wrong: string[] = [];
  readonly #what: string;

  constructor(what: string) {
    this.#what = what;
  }

  begin(name: string): void {
    if (this.#names.has(name)) this.wrong.push(`${this.#what} ${name} is opened twice`);
    this.#names.add(name);
  }

  within(name: string): void {
    if (!this.#names.has(name)) this.wrong.push(`${this.#what} ${name} goes on and is not open`);
  }

  end(name: string): void {
    if (!this.#names.delete(name)) this.wrong.push(`${this.#what} ${name} is closed and is not open`);
  }

  all(when: string): void {
    if (this.#names.size > 0) this.wrong.push(`${when}: ${this.#what} ${[...this.#names].join()} left open`);
  }
}

const isText = (type: string) => (event: LogEvent) =>
  event.type === type ? [(event.data as { text: string }).text] : [];

function checkText(what: string, said: string, events: readonly LogEvent[], type: string): string[] {
  return said === events.flatMap(isText(type)).join('') ? [] : [`the ${what} is not what was said`];
}

/** The chunk with which each run ends. */
const LAST = { done: 'finish', canceled: 'abort', error: 'error' } as const;

export const checkAiSdk: Check = (frames, events) => {
  const status = endOf(events);
  const parts = new Open('part');
  const steps = new Open('step');
  const calls = new Open('call');
  const known = new Set<string>();
  const wrong: string[] = [];
  const of = (type: string) => frames.filter(({ data }) => data.type === type);
  frames.forEach(({ data }, index) => {
    const { type } = data as { type: string };
    if ((type === 'start') !== (index === 0)) wrong.push(`${type} at ${index}`);
    if (/^(text|reasoning)-start$/.test(type)) {
      parts.begin(data.id);
      steps.within('step');
    }
    if (/^(text|reasoning)-delta$/.test(type)) parts.within(data.id);
    if (/^(text|reasoning)-end$/.test(type)) parts.end(data.id);
    if (type === 'start-step') steps.begin('step');
    if (type === 'finish-step') {
      parts.all('finish-step');
      steps.end('step');
    }
    if (type === 'tool-input-available') {
      // Said again where a person changed the input.
      if (!known.has(data.toolCallId)) calls.begin(data.toolCallId);
      known.add(data.toolCallId);
    }
    if (type === 'tool-approval-request') calls.within(data.toolCallId);
    if (type.startsWith('tool-output-')) calls.end(data.toolCallId);
  });
  if (status !== null) {
    parts.all('end');
    steps.all('end');
    calls.all('end');
  }
  const ends = frames.flatMap(({ data }, index) => (Object.values(LAST).includes(data.type) ? [index] : []));
  const wanted = status === null ? [] : [frames.length - 1];
  if (ends.join() !== wanted.join()) wrong.push(`ends at ${ends.join()} of ${frames.length}`);
  if (status !== null && frames.at(-1)!.data.type !== LAST[status]) wrong.push(`${status} ends otherwise`);
  const edits = events.filter(({ type, data }) => type === 'approval_end' && 'input' in data).length;
  if (of('tool-input-available').length !== known.size + edits) wrong.push('a call is announced twice');
  const joined = (type: string) =>
    of(type)
      .map(({ data }) => data.delta)
      .join('');
  return [
    ...wrong,
    ...[parts, steps, calls].flatMap((open) => open.wrong),
    ...checkText('text', joined('text-delta'), events, 'token'),
    ...checkText('reasoning', joined('reasoning-delta'), events, 'reasoning'),
  ];
};

export const checkAgUi: Check = (frames, events) => {
  const status = endOf(events);
  const open = {
    TEXT_MESSAGE: new Open('message'),
    REASONING_MESSAGE: new Open('reasoning'),
    REASONING: new Open('span'),
    TOOL_CALL: new Open('call'),
  };
  const results = new Open('result');
  const wrong: string[] = [];
  frames.forEach(({ data }, index) => {
    const { type } = data as { type: string };
    if ((type === 'RUN_STARTED') !== (index === 0)) wrong.push(`${type} at ${index}`);
    if ((type === 'STATE_SNAPSHOT') !== (index === 1)) wrong.push(`${type} at ${index}`);
    const [, what, how] = /^(.+)_(START|CONTENT|ARGS|END)$/.exec(type) ?? [];
    if (what !== undefined && what in open) {
      const own = open[what as keyof typeof open];
      const name: string = data.toolCallId ?? data.messageId;
      if (how === 'START') own.begin(name);
      else if (how === 'END') own.end(name);
      else own.within(name);
      if (type === 'TOOL_CALL_END') results.begin(name);
    }
    if (type === 'TOOL_CALL_RESULT') results.end(data.toolCallId);
    if (/^RUN_(FINISHED|ERROR)$/.test(type) && index !== frames.length - 1) wrong.push(`${type} at ${index}`);
  });
  const all = [...Object.values(open), results];
  if (status !== null) for (const each of all) each.all('end');
  const last = frames.at(-1)!.data;
  const said = last.type === 'RUN_ERROR' ? 'error' : last.outcome?.type;
  const outcome = status && { done: 'success', canceled: 'cancelled', error: 'error' }[status];
  if (outcome !== null && said !== outcome) wrong.push(`${status} is told as ${said}`);
  const text = frames.filter(
    ({ data }) => data.type === 'TEXT_MESSAGE_CONTENT' && !isSteered(data.messageId, events),
  );
  const joined = (pieces: readonly SentFrame[]) => pieces.map(({ data }) => data.delta).join('');
  return [
    ...wrong,
    ...all.flatMap((each) => each.wrong),
    ...checkText('text', joined(text), events, 'token'),
    ...checkText(
      'reasoning',
      joined(frames.filter(({ data }) => data.type === 'REASONING_MESSAGE_CONTENT')),
      events,
      'reasoning',
    ),
  ];
};

function isSteered(id: string, events: readonly LogEvent[]): boolean {
  return events.some(({ type, data }) => type === 'message' && 'id' in data && data.id === id);
}
