// Lists waiting approvals and decides them.

import { connect, type Connected, type Remote } from '../connect.ts';
import { CommandError, EXIT, usageError } from '../failure.ts';
import { note, print, printJson, short, table, time } from '../output.ts';

export interface ApproveOptions extends Remote {
  readonly deny?: boolean;
  readonly edit?: string;
  readonly retry?: boolean;
  readonly skip?: boolean;
  readonly comment?: string;
}

export async function approve(id: string | undefined, options: ApproveOptions): Promise<void> {
  const connected = await connect(options);
  if (id !== undefined) return decide(connected, id, options);
  if (options.deny || options.edit !== undefined || options.retry || options.skip) {
    throw usageError(
      'Name the approval: continuo approve <id>. Without an id, the waiting approvals are listed.',
    );
  }
  const page = await connected.client.approvals.list();
  if (options.json) return printJson(page);
  if (page.items.length === 0) return note('No approvals are waiting.');
  if (process.stdin.isTTY && process.stdout.isTTY) return askAll(connected, page.items);
  print(
    table(
      ['APPROVAL', 'ASKED', 'KIND', 'TOOL', 'INPUT'],
      page.items.map((item) => [
        item.id,
        time(item.asked_at),
        item.kind,
        short(item.tool),
        // What a question asks is its reason; it has no input.
        short(item.kind === 'question' ? item.reason : item.input, 80),
      ]),
    ),
  );
}

async function askAll({ client, commandFor }: Connected, items: readonly Waiting[]): Promise<void> {
  const { ask } = await import('../ask-approval.ts');
  for (const item of items) {
    const answer = await ask(item);
    if (answer === 'interrupted') {
      process.exitCode = EXIT.interrupted;
      return;
    }
    if (typeof answer !== 'object') continue;
    print(decisionLine(await client.approvals.decide(item.id, answer), commandFor));
  }
}

type Waiting = Awaited<ReturnType<Connected['client']['approvals']['list']>>['items'][number];

async function decide({ client, commandFor }: Connected, id: string, options: ApproveOptions): Promise<void> {
  const { deny, edit, retry, skip, comment, json } = options;
  const given = [deny && 'deny', edit !== undefined && 'edit', retry && 'retry', skip && 'skip'].filter(
    Boolean,
  );
  if (given.length > 1) throw usageError(`One decision at a time: not ${given.join(' and ')}.`);
  const chosen = (given[0] ?? 'approve') as 'approve' | 'deny' | 'edit' | 'retry' | 'skip';
  const { kind } = await client.approvals.get(id);
  if (kind === 'question' && chosen !== 'edit' && chosen !== 'deny' && chosen !== 'skip') {
    throw new CommandError('The call asks for input: answer with --edit <json>, or use --deny or --skip.', {
      code: 'usage',
      exitCode: EXIT.usage,
    });
  }
  const decision = kind === 'question' && chosen === 'edit' ? 'answer' : chosen;
  if (kind === 'unknown_outcome' && decision !== 'retry' && decision !== 'skip') {
    throw new CommandError('The outcome of this call is unknown: use --retry or --skip.', {
      code: 'usage',
      exitCode: EXIT.usage,
    });
  }
  const input = edit === undefined ? undefined : await inputOf(edit);
  const answer = await client.approvals.decide(id, {
    decision,
    ...(input && { input }),
    ...(comment !== undefined && { comment }),
  });
  if (json) printJson(answer);
  else print(decisionLine(answer, commandFor));
}

async function inputOf(json: string): Promise<Record<string, unknown>> {
  const { asObject } = await import('../ask-approval.ts');
  const input = asObject(json);
  if (input === null)
    throw usageError('--edit needs the input as a JSON object, such as \'{"path": "/a.md"}\'.');
  return input;
}

function decisionLine({ tool, decision, run_id: run }: Waiting, commandFor: Connected['commandFor']): string {
  return `${short(tool)}: ${decision}. Watch the run with: ${commandFor(`tail ${run}`)}`;
}
