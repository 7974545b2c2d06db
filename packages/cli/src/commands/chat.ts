// A chat in the terminal: one message and its answer, or a dialogue.

import { text as readText } from 'node:stream/consumers';
import { connect, type Connected, type Remote } from '../connect.ts';
import { EXIT, usageError } from '../failure.ts';
import { dim, note, print, printJson } from '../output.ts';
import { createPrompt } from '../prompt.ts';
import { watch, type Ending } from '../watch.ts';

export interface ChatOptions extends Remote {
  readonly chat?: string;
  readonly file?: string[];
  readonly model?: string;
  readonly role?: string;
  readonly policy?: 'enqueue' | 'reject' | 'interrupt' | 'rollback' | 'steer';
  readonly wait: boolean;
}

interface Sent {
  readonly chat: string;
  readonly run: string;
}

export async function chat(message: string | undefined, options: ChatOptions): Promise<void> {
  const connected = await connect(options);
  const said = message ?? (process.stdin.isTTY ? null : await readText(process.stdin));
  if (said === null) return talk(connected, options);
  if (said.trim() === '') throw usageError('The message is empty: give one as an argument, or pipe one in.');
  const sent = await send(connected, said, options);
  if (!options.wait) {
    if (!options.json) print(`${sent.run}`);
    return note(dim(`Watch it with: ${connected.commandFor(`tail ${sent.run}`)}`));
  }
  process.exitCode = exitCodeOf(await follow(connected, sent, options));
}

/** Runs until an empty message, Ctrl-D or Ctrl-C. */
async function talk(connected: Connected, options: ChatOptions): Promise<void> {
  if (!process.stdout.isTTY) throw usageError('There is no message and no terminal to ask for one.');
  let current = options.chat;
  const prompt = createPrompt();
  note(dim('Each line, or pasted text, is a message; an empty line or Ctrl-D ends the chat.'));
  try {
    for (;;) {
      const said = await prompt.next();
      if (said === null || said.trim() === '') break;
      const to = { ...options, ...(current !== undefined && { chat: current }) };
      const sent = await send(connected, said, to);
      current = sent.chat;
      const ending = await follow(connected, sent, options, (typed) => prompt.add(typed));
      if (ending === 'detached' || ending === 'stopped') {
        process.exitCode = EXIT.interrupted;
        return;
      }
    }
  } finally {
    prompt.close();
  }
  if (current !== undefined) note(dim(`Continue with: ${connected.commandFor(`chat --chat ${current}`)}`));
}

async function send({ client }: Connected, content: string, options: ChatOptions): Promise<Sent> {
  const { chat: id, file: files, model, role, policy, json } = options;
  const common = { ...(files && { files }), ...(model && { model }), ...(role && { role }) };
  const { run } =
    id === undefined
      ? await client.chats.open({ goal: content, ...common })
      : await client.chats.send(id, { content, ...common, ...(policy && { policy }) });
  if (json) printJson({ type: 'accepted', chat: run.thread_id, run });
  return { chat: run.thread_id, run: run.id };
}

async function follow(
  connected: Connected,
  sent: Sent,
  { json = false, chat: known }: ChatOptions,
  typed?: (keys: Buffer) => void,
): Promise<Ending> {
  const interactive = process.stdin.isTTY && process.stdout.isTTY && !json;
  const ending = await watch({ connected, ...sent, json, interactive, typed });
  if (ending === 'waiting') await noteApprovals(connected, sent.run);
  if (json)
    printJson({ type: 'ended', ending, chat: sent.chat, run: await connected.client.runs.get(sent.run) });
  else if (!interactive && known === undefined) note(dim(`chat ${sent.chat}`));
  return ending;
}

async function noteApprovals({ client, commandFor }: Connected, run: string): Promise<void> {
  // If the server has just gone away, still print which run waits.
  const { items } = await client.approvals.list().catch(() => ({ items: [] }));
  const asked = items.filter((approval) => approval.run_id === run).map(({ id }) => `approve ${id}`);
  for (const decide of asked.length > 0 ? asked : ['approve'])
    note(
      `The run waits for a decision: ${commandFor(decide)} (or --deny), then: ${commandFor(`tail ${run}`)}`,
    );
}

function exitCodeOf(ending: Ending): number {
  if (ending === 'done') return EXIT.ok;
  if (ending === 'waiting') return EXIT.waiting;
  return ending === 'detached' || ending === 'stopped' ? EXIT.interrupted : EXIT.failed;
}
