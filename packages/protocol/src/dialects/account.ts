// What several dialects keep of the run under way: what it said last, its calls, what it used and why it failed.

import type { MessagePart, Usage } from '@continuo/engine';
import type { EventData, LogEvent, RunError } from '../events.ts';

export interface Account {
  /** The run that has begun. */
  readonly run: string | null;
  /** Its latest message that says something, and what it says so far; a message that was superseded says nothing. */
  readonly message: string | null;
  readonly text: string;
  /** The calls of its latest message, by id. */
  readonly calls: ReadonlyMap<string, Call>;
  readonly usage: Usage | null;
  /** Null as long as no price is known. */
  readonly cost: number | null;
  readonly failure: RunError | null;
}

interface Call {
  readonly input: unknown;
  /** Whether the client has heard of it. */
  readonly told: boolean;
}

export const NO_ACCOUNT: Account = {
  run: null,
  message: null,
  text: '',
  calls: new Map(),
  usage: null,
  cost: null,
  failure: null,
};

/** The account after an event. Events of a run that was canceled in the queue leave it as it is. */
export function accountAfter(account: Account, event: LogEvent): Account {
  switch (event.type) {
    case 'token': {
      const { text, message } = event.data;
      return { ...account, message, text: message === account.message ? account.text + text : text };
    }
    case 'state':
      return afterState(account, event.data, event.runId);
    case 'message_end':
      return { ...account, calls: new Map(event.data.parts.flatMap(callIn)) };
    case 'tool_start':
    case 'tool_end': {
      const { call } = event.data;
      const known = account.calls.get(call);
      if (known?.told) return account;
      const input = event.type === 'tool_start' ? event.data.input : known?.input;
      return { ...account, calls: new Map(account.calls).set(call, { input, told: true }) };
    }
    case 'usage': {
      const { usage, cost } = event.data;
      return {
        ...account,
        usage: account.usage === null ? usage : sum(account.usage, usage),
        cost: cost === null ? account.cost : (account.cost ?? 0) + cost,
      };
    }
    case 'error':
      return { ...account, failure: event.data };
    case 'session':
      return event.runId === null ? NO_ACCOUNT : account;
    default:
      return account;
  }
}

function afterState(account: Account, data: EventData['state'], runId: string | null): Account {
  if (data.status !== 'running') return account;
  if (account.run !== runId) return { ...NO_ACCOUNT, run: runId };
  return data.supersedes === account.message ? { ...account, message: null, text: '' } : account;
}

function callIn(part: MessagePart): [string, Call][] {
  if (part.kind !== 'tool_call') return [];
  const input = part.input.kind === 'json' ? part.input.value : { raw: part.input.text };
  return [[part.callId, { input, told: false }]];
}

/** What both used. */
export function sum(a: Usage, b: Usage): Usage {
  const keys = Object.keys({ ...a, ...b }) as (keyof Usage)[];
  return Object.fromEntries(keys.map((key) => [key, (a[key] ?? 0) + (b[key] ?? 0)])) as unknown as Usage;
}
