// Runs a second with fifty at once.

import { runsPerSecond, type Rounds } from '../grid.ts';
import { digits, median, ratio } from '../measure/numbers.ts';
import { judged, type Line } from './line.ts';

export const throughput: Line = {
  key: 'throughput',
  cells: ['0 ms × 50', '10 ms × 50'],
  measure: (_stage, grid) => {
    const rate = (rounds: ReturnType<typeof grid.rounds>) =>
      [runsPerSecond(rounds.direct), runsPerSecond(rounds.bare), runsPerSecond(rounds.continuo)] as const;
    const [direct, bare, own] = rate(grid.rounds('0 ms × 50'));
    const paced = rate(grid.rounds('10 ms × 50'));
    return [
      {
        key: 'throughput-direct',
        line: 'runs/s, 0 ms × 50, against direct',
        target: '≥ 0.30×',
        measured: `${digits(own)}/s, direct ${digits(direct)}/s: ${ratio(own / direct)}`,
        verdict: judged(own >= direct * 0.3),
      },
      {
        key: 'throughput-bare',
        line: 'runs/s, 0 ms × 50, against bare',
        target: '≥ 4×',
        measured: `${digits(own)}/s, bare ${digits(bare)}/s: ${ratio(own / bare)}`,
        verdict: judged(own >= bare * 4),
      },
      {
        key: 'throughput-paced',
        line: 'runs/s, 10 ms × 50 (the model sets the pace: 25/s at most)',
        target: '–',
        measured: `${digits(paced[2])}/s, direct ${digits(paced[0])}/s, bare ${digits(paced[1])}/s`,
        verdict: 'reported',
      },
      {
        key: 'deltas-paced',
        line: 'pieces in which 200 tokens arrive, 10 ms × 50 (many models are read together: a piece comes every 50 ms at most)',
        target: '–',
        measured: `${digits(pieces(grid.rounds('10 ms × 50').continuo))}, bare ${digits(pieces(grid.rounds('10 ms × 50').bare))}`,
        verdict: 'reported',
      },
    ];
  },
};

function pieces(rounds: Rounds['continuo']): number {
  return median(rounds.flatMap(({ deltas }) => deltas));
}
