// What a run costs: server and Postgres together, against the floor and against what people write by hand.

import { cpuPerRun, type CellName, type Grid } from '../grid.ts';
import { digits, ratio } from '../measure/numbers.ts';
import { judged, type Line, type Row } from './line.ts';

const MOST_OF_DIRECT = 5;
const MOST_OF_BARE = 1 / 3;

export const cpu: Line = {
  key: 'cpu',
  cells: ['0 ms × 50', '10 ms × 50', '0 ms × 1', '10 ms × 1'],
  measure: (_stage, grid) => [
    ...against(grid, '0 ms × 50', true),
    ...against(grid, '10 ms × 50', true),
    ...against(grid, '0 ms × 1', false),
    ...against(grid, '10 ms × 1', false),
  ],
};

/** One run at a time commits token by token: there it is reported what that costs. */
function against(grid: Grid, cell: CellName, judge: boolean): Row[] {
  const rounds = grid.rounds(cell);
  const [direct, bare, own] = [cpuPerRun(rounds.direct), cpuPerRun(rounds.bare), cpuPerRun(rounds.continuo)];
  const parts = [
    cpuPerRun(rounds.continuo, ({ server }) => server),
    cpuPerRun(rounds.continuo, ({ postgres }) => postgres),
  ].map((part) => digits(part));
  const row = (name: 'direct' | 'bare', base: number, most: number, target: string): Row => ({
    key: `cpu-${name}-${cell.replaceAll(' ', '')}`,
    line: `CPU per run (server + Postgres) against ${name}, ${cell}`,
    target: judge ? target : '–',
    measured: `${digits(own, 'ms')} (${parts.join(' + ')}), ${name} ${digits(base, 'ms')}: ${ratio(own / base)}`,
    verdict: judge ? judged(own <= base * most) : 'reported',
  });
  return [
    row('direct', direct, MOST_OF_DIRECT, `≤ ${MOST_OF_DIRECT}×`),
    row('bare', bare, MOST_OF_BARE, '≤ 0.33×'),
  ];
}
