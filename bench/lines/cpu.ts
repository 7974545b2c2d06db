// What a run costs: server and Postgres together, against the floor and against what people write by hand.

import { cpuPerRun, deferredPerRun, type CellName, type Grid } from '../grid.ts';
import { digits, ratio } from '../measure/numbers.ts';
import { judged, type Line, type Row } from './line.ts';

const MOST_OF_DIRECT = 5;
const MOST_OF_BARE = 1 / 3;

export const cpu: Line = {
  key: 'cpu',
  cells: ['0 ms × 50', '10 ms × 50', '0 ms × 1', '10 ms × 1'],
  measure: (_stage, grid) => [
    ...against(grid, '0 ms × 50'),
    ...against(grid, '10 ms × 50'),
    ...against(grid, '0 ms × 1'),
    ...against(grid, '10 ms × 1'),
    deferred(grid),
  ],
};

function deferred(grid: Grid): Row {
  return {
    key: 'cpu-deferred',
    line: 'CPU per run after the last run has ended: chats written to disk, 0 ms × 50',
    target: '–',
    measured: digits(deferredPerRun(grid.rounds('0 ms × 50').continuo), 'ms'),
    verdict: 'reported',
  };
}

/** One run at a time is judged by the same bars, though it commits token by token. */
function against(grid: Grid, cell: CellName): Row[] {
  const rounds = grid.rounds(cell);
  const [direct, bare, own] = [cpuPerRun(rounds.direct), cpuPerRun(rounds.bare), cpuPerRun(rounds.continuo)];
  const parts = [
    cpuPerRun(rounds.continuo, ({ server }) => server),
    cpuPerRun(rounds.continuo, ({ postgres }) => postgres),
  ].map((part) => digits(part));
  const row = (name: 'direct' | 'bare', base: number, most: number, target: string): Row => ({
    key: `cpu-${name}-${cell.replaceAll(' ', '')}`,
    line: `CPU per run (server + Postgres) against ${name}, ${cell}`,
    target,
    measured: `${digits(own, 'ms')} (${parts.join(' + ')}), ${name} ${digits(base, 'ms')}: ${ratio(own / base)}`,
    verdict: judged(own <= base * most),
  });
  return [
    row('direct', direct, MOST_OF_DIRECT, `≤ ${MOST_OF_DIRECT}×`),
    row('bare', bare, MOST_OF_BARE, '≤ 0.33×'),
  ];
}
