// Asks a person at the terminal about a waiting approval.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@continuo/client';
import { isCancel, select, text } from '@clack/prompts';
import { bold, COLUMNS, dim, note, safe, short, yellow } from './output.ts';

export type Approval = Awaited<ReturnType<Client['approvals']['get']>>;
type Decision = Parameters<Client['approvals']['decide']>[1];

/** `later`: not now; `interrupted`: Ctrl-C; `settled`: someone else decided, or the run ended. */
export type Answer = Decision | 'later' | 'interrupted' | 'settled';

export async function ask(approval: Approval, settled?: AbortSignal): Promise<Answer> {
  note(describe(approval));
  // Without a width, the prompt would write one character per line.
  if (!process.stdout.columns) process.stdout.columns = COLUMNS;
  const closing = new AbortController();
  const onData = (data: Buffer) => data.includes(CTRL_D) && closing.abort();
  process.stdin.on('data', onData);
  try {
    const answer = await choose(approval, AbortSignal.any([closing.signal, ...(settled ? [settled] : [])]));
    if (answer !== 'interrupted') return answer;
    return settled?.aborted ? 'settled' : closing.signal.aborted ? 'later' : 'interrupted';
  } finally {
    process.stdin.off('data', onData);
  }
}

/** Ctrl-D closes the prompt's input without the prompt noticing. */
const CTRL_D = 4;

async function choose(approval: Approval, signal: AbortSignal): Promise<Answer> {
  if (approval.kind === 'question') return answerQuestion(approval, signal);
  const options =
    approval.kind === 'call'
      ? [
          { value: 'approve', label: 'Approve', hint: 'with exactly this input' },
          { value: 'deny', label: 'Deny', hint: 'the model is told' },
          { value: 'edit', label: 'Edit', hint: 'approve with another input' },
          { value: 'later', label: 'Later', hint: 'decide another time' },
        ]
      : [
          { value: 'retry', label: 'Retry', hint: 'make the call again' },
          { value: 'skip', label: 'Skip', hint: 'the model is told' },
          { value: 'later', label: 'Later', hint: 'decide another time' },
        ];
  const chosen = await select({ message: 'Your decision', options, signal });
  if (isCancel(chosen)) return 'interrupted';
  if (chosen === 'later') return 'later';
  if (chosen !== 'edit') return { decision: chosen as Decision['decision'] };
  const input = await edited(approval.input, signal);
  if (input === null) return signal.aborted ? 'interrupted' : 'later';
  return { decision: 'edit', input };
}

async function answerQuestion({ schema = {} }: Approval, signal: AbortSignal): Promise<Answer> {
  const options = [
    { value: 'answer', label: 'Answer', hint: 'as JSON that matches the schema' },
    { value: 'deny', label: 'Decline', hint: 'the server is told' },
    { value: 'skip', label: 'Dismiss', hint: 'the server is told' },
    { value: 'later', label: 'Later', hint: 'decide another time' },
  ];
  const chosen = await select({ message: 'Your answer', options, signal });
  if (isCancel(chosen)) return 'interrupted';
  if (chosen === 'later') return 'later';
  if (chosen !== 'answer') return { decision: chosen as Decision['decision'] };
  const names = Object.keys(schema['properties'] ?? {});
  const input = await edited(Object.fromEntries(names.map((name) => [name, null])), signal);
  if (input === null) return signal.aborted ? 'interrupted' : 'later';
  return { decision: 'answer', input };
}

const HEADINGS: Record<Approval['kind'], string> = {
  call: 'A call waits for approval',
  unknown_outcome: 'The outcome of this call is unknown',
  question: 'A call asks a question',
};

function describe({ tool, kind, input, schema, paths, reason }: Approval): string {
  const lines = [
    `${yellow('?')} ${HEADINGS[kind]}: ${bold(short(tool))}`,
    ...safe(JSON.stringify(schema ?? input, null, 2) ?? '')
      .split('\n')
      .map((line) => `  ${line}`),
    ...(paths.length > 0 ? [dim(`  touches ${safe(paths.join(', '))}`)] : []),
    dim(`  ${safe(reason)}`),
  ];
  return lines.join('\n');
}

/** Edits in $VISUAL or $EDITOR, or else on one line; null if it was canceled or is not a JSON object. */
async function edited(input: unknown, signal: AbortSignal): Promise<Record<string, unknown> | null> {
  const editor = process.env.VISUAL || process.env.EDITOR;
  // Escaped as it is shown; as JSON it means the same.
  if (editor) return asObject(inEditor(editor, safe(JSON.stringify(input, null, 2))));
  const given = await text({
    message: 'The input, as JSON',
    initialValue: safe(JSON.stringify(input)),
    validate: (value) => (asObject(value ?? '') === null ? 'The input must be a JSON object.' : undefined),
    signal,
  });
  return isCancel(given) ? null : asObject(given);
}

function inEditor(editor: string, content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'continuo-edit-'));
  const file = join(folder, 'input.json');
  try {
    writeFileSync(file, content, { mode: 0o600 });
    spawnSync('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
    return readFileSync(file, 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function asObject(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
