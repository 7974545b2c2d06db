// The graph of a plan: what each step waits for, and where it is drawn. Stages are columns of steps from left to right.

import { Graph, layout } from '@dagrejs/dagre';
import type { PlanStage } from '@continuo/protocol';

export const STEP_WIDTH = 176;
export const STEP_HEIGHT = 56;

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
  const graph = new Graph().setGraph({ rankdir: 'LR', nodesep: 14, ranksep: 34, marginx: 4, marginy: 4 });
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
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const placeOf = (id: string) => graph.node(id) as unknown as Place;
  return {
    width,
    height,
    steps: new Map(
      ids.map((id) => {
        const { x, y } = placeOf(id);
        return [id, { x: x - STEP_WIDTH / 2, y: y - STEP_HEIGHT / 2 }];
      }),
    ),
    edges: edges.map((edge) => ({
      ...edge,
      points: (graph.edge(edge.from, edge.to) as unknown as { points: Place[] }).points,
    })),
  };
}
