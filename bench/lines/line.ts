// A line of the table: what is promised, what was measured, and whether it holds.

import type { CellName, Grid } from '../grid.ts';
import type { Stage } from '../stage.ts';

export interface Row {
  /** Names the row in `notes.ts`. */
  readonly key: string;
  readonly line: string;
  readonly target: string;
  readonly measured: string;
  readonly verdict: 'met' | 'missed' | 'reported';
}

export interface Line {
  /** What `--only` calls it. */
  readonly key: string;
  /** Cells of the grid that it is judged by. */
  readonly cells?: readonly CellName[];
  measure(stage: Stage, grid: Grid): Promise<readonly Row[]> | readonly Row[];
}

export function judged(holds: boolean): 'met' | 'missed' {
  return holds ? 'met' : 'missed';
}
