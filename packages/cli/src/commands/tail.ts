// Watches a run or a chat; Ctrl-C detaches.

import type { ThreadEvent } from '@continuo/client';
import { connect, targetOf, type Connected, type Remote } from '../connect.ts';
import { EXIT } from '../failure.ts';
import { onInterrupt } from '../interrupt-key.ts';
import { note, printJson } from '../output.ts';
import { createPrinter, type Printer, type ShownEvent } from '../event-printer.ts';
import { isWaiting, reconnections } from '../watch.ts';

export interface TailOptions extends Remote {
  readonly follow: boolean;
}

/** Events per page. */
const PAGE = 1000;

interface Tail {
  readonly connected: Connected;
  readonly id: string;
  readonly follow: boolean;
  readonly json: boolean;
  readonly printer: Printer;
  readonly signal: AbortSignal;
  readonly show: (event: ShownEvent) => Promise<void>;
}

export async function tail(given: string, { follow, ...remote }: TailOptions): Promise<void> {
  const connected = await connect(remote);
  const { client, commandFor } = connected;
  const { kind, id } = await targetOf(connected, given);
  const leaving = new AbortController();
  const printer = createPrinter({ write: (text) => void process.stdout.write(text), people: true });
  const json = remote.json ?? false;
  const show = async (event: ShownEvent) => {
    if (json) return printJson(event);
    printer.show(event);
    if (event.type === 'approval') {
      const { approval } = event.data as { approval: string };
      if (await isWaiting(client, approval)) note(`  decide with: ${commandFor(`approve ${approval}`)}`);
    }
  };
  const keys = onInterrupt(() => leaving.abort());
  try {
    const options = { connected, id, follow, json, printer, show, signal: leaving.signal };
    await (kind === 'run' ? tailRun(options) : tailChat(options));
    printer.line();
    if (leaving.signal.aborted) process.exitCode = EXIT.interrupted;
  } finally {
    keys.close();
  }
}

async function tailRun({ connected: { client }, id, follow, printer, show, signal }: Tail): Promise<void> {
  if (!follow) {
    let after = '0';
    for (;;) {
      const { items, next } = await client.runs.events(id, { after, limit: PAGE }, { signal });
      for (const event of items) await show(event);
      // The pages of an open run have no end.
      if (next === null || items.length < PAGE) return;
      after = next;
    }
  }
  const onState = reconnections(printer);
  for await (const event of client.runs.stream(id, { signal, onState })) {
    await show(event);
    if (event.type === 'state' && event.data.status !== 'running') {
      process.exitCode = event.data.status === 'done' ? EXIT.ok : EXIT.failed;
    }
  }
}

/** The latest run first, then new events. */
async function tailChat({ connected: { client }, id, follow, printer, show, signal }: Tail): Promise<void> {
  const { items } = await client.threads.events(id, { before: 'latest', limit: PAGE }, { signal });
  const last = items.findLast((event) => event.type === 'message');
  const begin = last === undefined ? 0 : items.findIndex((event) => event.run_id === last.run_id);
  const shown: readonly ThreadEvent[] = items.slice(begin);
  for (const event of shown) await show(event);
  if (!follow) return;
  const after = items.at(-1)?.seq ?? 0;
  for await (const event of client.threads.stream(id, { after, signal, onState: reconnections(printer) })) {
    await show(event);
  }
}
