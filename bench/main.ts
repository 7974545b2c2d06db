// `npm run bench`: measures every line, or those that --only names, and writes the table.

import { parseArgs } from 'node:util';
import { Grid } from './grid.ts';
import { lines } from './lines/index.ts';
import type { Line, Row } from './lines/line.ts';
import { tableOf, write } from './report.ts';
import { Stage } from './stage.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    rounds: { type: 'string' },
    profile: { type: 'boolean', default: false },
    strict: { type: 'boolean', default: false },
  },
});

const chosen = choose(values.only);
const rounds = Number(values.rounds ?? (values.quick ? 1 : 3));
const began = new Date();
const opening = Stage.open({ quick: values.quick, rounds, profile: values.profile });
let closing: Promise<void> | null = null;
const close = () => (closing ??= opening.then((opened) => opened.close()));
let stopped = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    stopped = true;
    void close().finally(() => process.exit(1));
  });
}
const stage = await opening;

try {
  const grid = new Grid(stage);
  const cells = [...new Set(chosen.flatMap((line) => line.cells ?? []))];
  if (cells.length > 0) await grid.measure(cells, say);
  const rows: Row[] = [];
  for (const line of chosen) rows.push(...(await measure(line, grid)));

  const report = {
    rows,
    postgres: stage.postgres,
    rounds,
    quick: values.quick,
    command: ['npm run bench', ...(process.argv.length > 2 ? ['--', ...process.argv.slice(2)] : [])].join(
      ' ',
    ),
    began,
    minutes: (Date.now() - began.getTime()) / 60_000,
    profiles: grid.profiles,
  };
  const whole = !values.quick && chosen.length === lines.length;
  process.stdout.write(`\n${tableOf(rows)}\n\nwritten to ${write(report, whole)}\n`);
  const missed = rows.filter((row) => row.verdict === 'missed');
  if (missed.length > 0)
    process.stdout.write(`missed: ${missed.map(({ key, line }) => `${key} (${line})`).join('; ')}\n`);
  if (values.strict && missed.length > 0) process.exitCode = 1;
} catch (error) {
  // Requests that are in flight when everything is shut down fail, of course.
  if (!stopped) throw error;
} finally {
  await close();
}

/** A line that cannot be measured is missed, and does not keep the others from being. */
async function measure(line: Line, grid: Grid): Promise<readonly Row[]> {
  say(line.key);
  try {
    const rows = await line.measure(stage, grid);
    for (const row of rows) say(`  ${row.verdict}: ${row.line}: ${row.measured}`);
    return rows;
  } catch (error) {
    if (stopped) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    say(`  not measured: ${reason}`);
    return [
      { key: line.key, line: line.key, target: '–', measured: `not measured: ${reason}`, verdict: 'missed' },
    ];
  }
}

function choose(only: string | undefined): readonly Line[] {
  if (only === undefined) return lines;
  const keys = only.split(',').map((key) => key.trim());
  const unknown = keys.filter((key) => !lines.some((line) => line.key === key));
  if (unknown.length === 0) return lines.filter((line) => keys.includes(line.key));
  process.stderr.write(
    `--only: there is no line named ${unknown.join(', ')}; the lines are: ${lines.map((line) => line.key).join(', ')}.\n`,
  );
  process.exit(1);
}

function say(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)}  ${text}\n`);
}
