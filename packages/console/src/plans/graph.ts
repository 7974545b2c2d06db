// The graph of a plan: what each step waits for, and where it is drawn. Stages are columns of steps from left to right.

import { Graph, layout } from '@dagrejs/dagre';
import type { PlanStage } from '@continuo/protocol';

export const STEP_WIDTH = 176;
export const STEP_HEIGHT = 56;
const MARGIN = 4;

interface Place {
  readonly x: number;
  readonly y: number;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** `input`: the step gets the other's result. `order`: it only waits until the other has ended. */
  readonly kind: 'input' | 'order';
}

export interface PlanGraph {
  readonly width: number;
  readonly height: number;
  /** The upper left corners of the steps, by their ids. */
  readonly steps: ReadonlyMap<string, Place>;
  readonly edges: readonly (GraphEdge & { readonly points: readonly Place[] })[];
}

/** Between two stages: all of one end before any of the next starts. Not an id that a step can have. */
const GATE = '|';

/** Each step's reasons to wait. Between stages they meet in a gate, so that they are as many as the steps, not their product. */
export function edgesOf(stages: readonly PlanStage[]): GraphEdge[] {
  const edges: GraphEdge[] = [];
  const filled = stages.filter(({ steps }) => steps.length > 0);
  for (const [index, { mode, steps }] of filled.entries()) {
    const here = new Set(steps.map(({ id }) => id));
    const inputs = steps.flatMap(({ id, inputs: from = [] }) =>
      from.map((input): GraphEdge => ({ from: input, to: id, kind: 'input' })),
    );
    const known = new Set(inputs.map(({ from, to }) => `${from} ${to}`));
    const order = steps.flatMap(({ id }, place): GraphEdge[] => {
      const before = steps[place - 1]?.id;
      if (mode !== 'sequence' || before === undefined || known.has(`${before} ${id}`)) return [];
      return [{ from: before, to: id, kind: 'order' }];
    });
    const within = [...inputs, ...order].filter(({ from }) => here.has(from));
    const starts = new Set(within.map(({ to }) => to));
    const ends = new Set(within.map(({ from }) => from));
    edges.push(...inputs, ...order);
    if (index > 0)
      for (const { id } of steps)
        if (!starts.has(id)) edges.push({ from: GATE + index, to: id, kind: 'order' });
    if (index < filled.length - 1)
      for (const { id } of steps)
        if (!ends.has(id)) edges.push({ from: id, to: GATE + (index + 1), kind: 'order' });
  }
  return edges;
}

/** Leaves out inputs that are not steps, which a plan with problems may have. */
export function layOut(stages: readonly PlanStage[]): PlanGraph {
  const graph = new Graph().setGraph({ rankdir: 'LR', nodesep: 14, ranksep: 34 });
  const ids = stages.flatMap(({ steps }) => steps.map(({ id }) => id));
  const steps = new Set(ids);
  for (const id of ids) graph.setNode(id, { width: STEP_WIDTH, height: STEP_HEIGHT });
  const edges = edgesOf(stages).filter(
    ({ from, to }) => from !== to && [from, to].every((id) => steps.has(id) || id.startsWith(GATE)),
  );
  for (const { from, to } of edges) {
    for (const id of [from, to]) if (!steps.has(id)) graph.setNode(id, { width: 1, height: 1 });
    graph.setEdge(from, to, {});
  }
  layout(graph);
  const placeOf = (id: string) => graph.node(id) as unknown as Place;
  const corners = ids.map((id): [string, Place] => {
    const { x, y } = placeOf(id);
    return [id, { x: x - STEP_WIDTH / 2, y: y - STEP_HEIGHT / 2 }];
  });
  const lines = edges.map((edge) => ({
    ...edge,
    points: (graph.edge(edge.from, edge.to) as unknown as { points: Place[] }).points,
  }));
  // The layout keeps the steps within its bounds, but not the lines.
  const bends = lines.flatMap(({ points }) => points);
  const ends = corners.map(([, { x, y }]) => ({ x: x + STEP_WIDTH, y: y + STEP_HEIGHT }));
  const all = [...bends, ...ends, ...corners.map(([, place]) => place)];
  const [left, right] = extent(all.map(({ x }) => x));
  const [top, bottom] = extent(all.map(({ y }) => y));
  const within = ({ x, y }: Place): Place => ({ x: x - left + MARGIN, y: y - top + MARGIN });
  return {
    width: right - left + 2 * MARGIN,
    height: bottom - top + 2 * MARGIN,
    steps: new Map(corners.map(([id, place]) => [id, within(place)])),
    edges: lines.map((line) => ({ ...line, points: line.points.map(within) })),
  };
}

function extent(values: readonly number[]): readonly [least: number, most: number] {
  let [least, most] = [values[0] ?? 0, values[0] ?? 0];
  for (const value of values) [least, most] = [Math.min(least, value), Math.max(most, value)];
  return [least, most];
}
