// From sending the message to the first token, and from the last token to the end of the stream.

import { firstToken, lastTokenToEnd, type CellName, type Grid } from '../grid.ts';
import { digits, ratio } from '../measure/numbers.ts';
import { judged, type Line, type Row } from './line.ts';

const LONGEST_TAIL_MS = 5;

export const latency: Line = {
  key: 'latency',
  cells: ['0 ms × 1', '0 ms × 50', '10 ms × 1', '10 ms × 50'],
  measure: (_stage, grid) => [
    first(grid, '0 ms × 1', { q: 0.5, most: 1 }),
    first(grid, '10 ms × 1', { q: 0.5, most: 1 }),
    first(grid, '0 ms × 50', { q: 0.99, most: 0.25 }),
    first(grid, '10 ms × 50', { q: 0.99, most: null }),
  ],
};

export const tail: Line = {
  key: 'tail',
  cells: ['0 ms × 1', '10 ms × 1'],
  measure: (_stage, grid) => [end(grid, '0 ms × 1'), end(grid, '10 ms × 1')],
};

function first(grid: Grid, cell: CellName, { q, most }: { q: number; most: number | null }): Row {
  const { bare, continuo } = grid.rounds(cell);
  const [base, own] = [firstToken(bare, q), firstToken(continuo, q)];
  const target = most === 1 ? '≤ bare' : `≤ ${most}× bare`;
  return {
    key: `first-token-${cell.replaceAll(' ', '')}`,
    line: `POST to first token, p${q * 100}, ${cell}`,
    target: most === null ? '–' : target,
    measured: `${digits(own, 'ms')}, bare ${digits(base, 'ms')}: ${ratio(own / base)}`,
    verdict: most === null ? 'reported' : judged(own <= base * most),
  };
}

function end(grid: Grid, cell: CellName): Row {
  const { bare, continuo } = grid.rounds(cell);
  const own = lastTokenToEnd(continuo, 0.5);
  return {
    key: `tail-${cell.replaceAll(' ', '')}`,
    line: `last token to end of stream, p50, ${cell}`,
    target: `≤ ${LONGEST_TAIL_MS} ms`,
    measured: `${digits(own, 'ms')} (p99 ${digits(lastTokenToEnd(continuo, 0.99), 'ms')}), bare ${digits(lastTokenToEnd(bare, 0.5), 'ms')}`,
    verdict: judged(own <= LONGEST_TAIL_MS),
  };
}
