// Watches a run at the terminal: prints it, asks about its approvals, and detaches on Ctrl-C. The run continues in any
// case; only a second Ctrl-C stops it.

import type { Client } from '@continuo/client';
import type { Connected } from './connect.ts';
import { onInterrupt, type Keys } from './interrupt-key.ts';
import { note, printJson, safe, yellow } from './output.ts';
import { createPrinter, type Printer } from './event-printer.ts';

/** How long after the first Ctrl-C a second one stops the run. */
const SECOND_PRESS_MS = 2000;

export type Ending = 'done' | 'error' | 'canceled' | 'detached' | 'stopped' | 'waiting';

export interface Watch {
  readonly connected: Connected;
  readonly run: string;
  readonly chat: string;
  readonly json: boolean;
  /** Whether a person can be asked. */
  readonly interactive: boolean;
  /** Gets the text typed meanwhile, except answers to approvals. */
  readonly typed?: ((keys: Buffer) => void) | undefined;
}

export async function watch({ connected, run, chat, json, interactive, typed }: Watch): Promise<Ending> {
  const { client, commandFor } = connected;
  const leaving = new AbortController();
  const printer = createPrinter({ write: (text) => void process.stdout.write(text) });
  let presses = 0;
  let second: () => void = () => undefined;
  const keys = onInterrupt(() => {
    presses += 1;
    if (presses === 1) leaving.abort();
    else second();
  }, typed);
  const questions = createQuestions({ connected, keys, printer, interrupted: () => leaving.abort() });
  try {
    const ending = await follow();
    if (ending !== null) return ending;
    printer.line();
    note(`Detached; the run continues. Watch it again with: ${commandFor(`tail ${run}`)}`);
    if (!interactive) return 'detached';
    note('Press Ctrl-C again to stop it.');
    if (!(await pressed())) return 'detached';
    await client.chats.stop(chat);
    note(yellow('Stopped.'));
    return 'stopped';
  } finally {
    questions.end();
    keys.close();
  }

  /** Null: detached before the end. */
  async function follow(): Promise<Ending | null> {
    const onState = reconnections(printer);
    for await (const event of client.runs.stream(run, { signal: leaving.signal, onState })) {
      if (json) printJson(event);
      else printer.show(event);
      if (event.type === 'approval' && (await isWaiting(client, event.data.approval))) {
        if (!interactive) return 'waiting';
        questions.ask(event.data.approval);
      }
      if (event.type === 'approval_end') questions.settled(event.data.approval);
      if (event.type === 'state' && event.data.status !== 'running') return event.data.status;
    }
    return null;
  }

  function pressed(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), SECOND_PRESS_MS);
      second = () => {
        clearTimeout(timer);
        resolve(true);
      };
      keys.capture();
      if (presses > 1) second();
    });
  }
}

/** An approval in the log may have been decided long ago. */
export async function isWaiting(client: Client, approval: string): Promise<boolean> {
  try {
    return (await client.approvals.get(approval)).decision === null;
  } catch (error) {
    // The server may be unreachable for now: assume that the approval still waits.
    return (error as { code?: unknown }).code !== 'approval_not_found';
  }
}

/** Reports a connection that is lost for longer than a moment. */
export function reconnections(printer: Printer) {
  return (state: { readonly kind: string; readonly tries?: number }) => {
    if (state.kind !== 'reconnecting' || state.tries !== 3) return;
    printer.line();
    note(yellow('The connection is lost; reconnecting. The run continues.'));
  };
}

interface Questions {
  ask(approval: string): void;
  /** The approval was decided, here or elsewhere. */
  settled(approval: string): void;
  end(): void;
}

/** Asks about one approval at a time, beside the stream, so that a decision made elsewhere closes the question. */
function createQuestions({
  connected: { client, commandFor },
  keys,
  printer,
  interrupted,
}: {
  readonly connected: Connected;
  readonly keys: Keys;
  readonly printer: Printer;
  readonly interrupted: () => void;
}): Questions {
  const waiting: string[] = [];
  let asked: { readonly id: string; readonly over: AbortController } | null = null;

  async function work(): Promise<void> {
    const { ask } = await import('./ask-approval.ts');
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      asked = { id, over: new AbortController() };
      printer.line();
      keys.release();
      const approval = await client.approvals.get(id);
      const answer = approval.decision === null ? await ask(approval, asked.over.signal) : 'settled';
      keys.capture();
      if (answer === 'interrupted') return interrupted();
      if (answer === 'later') note(`The approval waits. Decide with: ${commandFor(`approve ${id}`)}`);
      if (typeof answer === 'object') await decide(id, answer);
    }
    asked = null;
  }

  /** Someone else may have decided first. */
  async function decide(id: string, answer: Parameters<Client['approvals']['decide']>[1]): Promise<void> {
    try {
      await client.approvals.decide(id, answer);
    } catch (error) {
      note(yellow(safe(error instanceof Error ? error.message : String(error))));
      if ((error as { code?: unknown }).code === 'invalid_input') waiting.unshift(id);
    }
  }

  return {
    ask: (id) => {
      waiting.push(id);
      if (asked === null) {
        asked = { id, over: new AbortController() };
        void work().catch((error: unknown) => {
          note(yellow(safe(error instanceof Error ? error.message : String(error))));
          interrupted();
        });
      }
    },
    settled: (id) => {
      const place = waiting.indexOf(id);
      if (place !== -1) waiting.splice(place, 1);
      if (asked?.id === id) asked.over.abort();
    },
    end: () => {
      waiting.length = 0;
      asked?.over.abort();
    },
  };
}
