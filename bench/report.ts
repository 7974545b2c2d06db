// The table, on the terminal and in results/latest.md.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { bytes } from './measure/numbers.ts';
import { byModule, type SelfTime } from './measure/profile.ts';
import type { Row } from './lines/line.ts';
import { notes } from './notes.ts';
import type { Postgres } from './postgres.ts';

export interface Report {
  readonly rows: readonly Row[];
  readonly postgres: Pick<Postgres, 'version' | 'settings' | 'fileSystem'>;
  readonly rounds: number;
  readonly quick: boolean;
  /** As it was typed. */
  readonly command: string;
  readonly began: Date;
  readonly minutes: number;
  readonly profiles: ReadonlyMap<string, readonly SelfTime[]>;
}

const RESULTS = new URL('./results/', import.meta.url);
const MODULES = new URL('../node_modules/', import.meta.url);
const PACKAGES = ['ai', '@ai-sdk/openai-compatible', 'hono', '@hono/node-server', 'pg'];

export function tableOf(rows: readonly Row[]): string {
  const cells = rows.map(({ verdict, line, target, measured }) => [verdict, line, target, measured]);
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((row) => row[column]!.length), 0));
  return cells
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .join('\n');
}

/** Only a whole, unhurried run replaces the record; any other goes beside it. */
export function write(report: Report, whole: boolean): string {
  mkdirSync(RESULTS, { recursive: true });
  const name = whole ? 'latest.md' : 'partial.md';
  writeFileSync(new URL(name, RESULTS), markdown(report));
  return `bench/results/${name}`;
}

function markdown(report: Report): string {
  const { rows, postgres, rounds, quick, command, began, minutes, profiles } = report;
  const count = (verdict: Row['verdict']) => rows.filter((row) => row.verdict === verdict).length;
  const lines = [
    '# Benchmark',
    '',
    `${count('met')} met, ${count('missed')} missed, ${count('reported')} reported. Medians of ${rounds} ${rounds === 1 ? 'round' : 'rounds'}${quick ? ', **a quick look, not a record**' : ''}.`,
    '',
    `- ${began.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${minutes.toFixed(0)} minutes, commit ${commit()}`,
    `- \`${command}\``,
    `- ${cpus()[0]?.model.trim()} × ${cpus().length}, ${bytes(totalmem())}, Linux ${release()}, ${postgres.fileSystem}`,
    `- Node ${process.versions.node}, Postgres ${postgres.version} (${postgres.settings}), ${PACKAGES.map(version).join(', ')}`,
    '',
    'What the lines mean and what is counted: [README](../README.md). `10 ms × 50` reads: 10 ms a token, 50 runs at once.',
    '',
    '| | Line | Target | Measured | Why |',
    '|---|---|---|---|---|',
    ...rows.map(
      ({ key, verdict, line, target, measured }) =>
        `| ${verdict === 'missed' ? '**missed**' : verdict} | ${line} | ${target} | ${measured} | ${verdict === 'missed' ? (notes[key] ?? '') : ''} |`,
    ),
    '',
  ];
  return [...lines, ...[...profiles].flatMap(profileOf)].join('\n');
}

function profileOf([cell, selfTimes]: [string, readonly SelfTime[]]): string[] {
  const rows = [...byModule(selfTimes).slice(0, 20), ...selfTimes.slice(0, 40)].map(
    ({ place, ms }) => `| ${ms.toFixed(0)} | \`${place}\` |`,
  );
  return [
    `## Where the server spends its time, ${cell}`,
    '',
    '| ms | Module, then function |',
    '|---:|---|',
    ...rows,
    '',
  ];
}

function version(name: string): string {
  const text = readFileSync(new URL(`${name}/package.json`, MODULES), 'utf8');
  return `${name} ${(JSON.parse(text) as { version: string }).version}`;
}

function commit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      encoding: 'utf8',
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  try {
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : ' with changes');
  } catch {
    return 'unknown';
  }
}
