// Shows what a run sent to its model.

import { connect, runIdOf, type Remote } from '../connect.ts';
import { dim, green, note, print, printJson, safe, short, table, yellow } from '../output.ts';

export interface ContextOptions extends Remote {
  readonly message?: string;
  readonly try?: number;
  readonly text?: boolean;
}

export async function context(
  id: string,
  { message, try: tried, text, ...remote }: ContextOptions,
): Promise<void> {
  const connected = await connect(remote);
  const run = await runIdOf(connected, id);
  const shown = await connected.client.runs.context(run, {
    ...(message !== undefined && { message }),
    ...(tried !== undefined && { try: tried }),
  });
  if (remote.json) return printJson(shown);
  const { parts, tokens, cost, left_out, requests } = shown;
  print(
    `${shown.message ?? shown.purpose}${shown.try > 1 ? `, try ${shown.try}` : ''} · ${shown.model} · about ${tokens.estimated} tokens` +
      (tokens.input === null ? '' : `, ${tokens.input} as reported`) +
      (cost === null ? '' : `, ${dollars(cost)}`),
  );
  print(
    shown.exact
      ? `${green('Exactly what was sent')} ${dim(shown.hash)}`
      : `${yellow(shown.problem ?? 'Not what was sent.')} ${dim(shown.hash)}`,
  );
  print(
    table(
      ['PLACE', 'PART', 'SOURCE', 'TOKENS', 'COST'],
      parts.map((part) => [
        part.place,
        part.kind,
        short(sourceOf(part.source), 48),
        String(part.tokens),
        part.cost === null ? '' : dollars(part.cost),
      ]),
    ),
  );
  for (const { what, why } of left_out) print(safe(`Left out: ${what}, because ${why}.`));
  if (text)
    for (const part of parts)
      print(
        `\n${dim(`— ${part.place}, ${part.kind}, ${sourceOf(part.source)}`)}\n${safe(part.text ?? '(deleted for good)')}`,
      );
  const others = [...new Set(requests.map((each) => each.message))].filter((each) => each !== shown.message);
  if (others.length > 0) note(dim(`Other calls of the run: ${others.join(', ')}; --message shows one.`));
}

type Source =
  | { kind: 'text'; name: string }
  | { kind: 'event'; seq: number }
  | { kind: string; id: string; version: number; path?: string | undefined };

function sourceOf(source: Source): string {
  if ('name' in source) return source.name;
  if ('seq' in source) return `event ${source.seq}`;
  return `${source.path ?? `${source.kind} ${source.id}`} v${source.version}`;
}

function dollars(amount: number): string {
  return `$${amount.toFixed(6)}`;
}
