// What the steps of a plan wait for, and where the graph draws them.

import { expect, test } from 'vitest';
import type { PlanStage } from '@continuo/protocol';
import { edgesOf, layOut } from '../src/plans/graph.ts';

const stage = (
  mode: PlanStage['mode'],
  ...steps: (readonly [id: string, ...inputs: string[]])[]
): PlanStage => ({
  id: mode,
  name: mode,
  mode,
  steps: steps.map(([id, ...inputs]) => ({ id, title: id, intent: 'create', executor: 'writer', inputs })),
});
const arrows = (...stages: PlanStage[]) =>
  edgesOf(stages).map(({ from, to, kind }) => `${from} ${kind === 'input' ? '=>' : '->'} ${to}`);

test('PLAN-2 inputs and the order of a sequence are edges; an input that is the step before is one edge', () => {
  expect(arrows(stage('sequence', ['a'], ['b'], ['c', 'b'], ['d', 'a']))).toEqual([
    'b => c',
    'a => d',
    'a -> b',
    'c -> d',
  ]);
});

test('PLAN-2 stages meet in a gate: as many edges as steps', () => {
  const many = (name: string) =>
    stage('parallel', ...Array.from({ length: 50 }, (_, index) => [`${name}${index}`] as const));
  expect(arrows(many('a'), stage('parallel'), many('b')).length).toBe(100);
  expect(arrows(stage('parallel', ['a'], ['b', 'a']), stage('sequence', ['c'], ['d']))).toEqual([
    'a => b',
    'b -> |1',
    'c -> d',
    '|1 -> c',
  ]);
});

test('PLAN-2 a step is drawn to the right of all that it waits for, and no two steps overlap', () => {
  const { steps, width } = layOut([
    stage('parallel', ['a'], ['b'], ['c', 'a', 'b']),
    stage('sequence', ['d', 'a'], ['e']),
    stage('parallel', ['f'], ['g', 'missing']),
  ]);
  const x = (id: string) => steps.get(id)!.x;
  for (const [from, to] of ['ac', 'bc', 'cd', 'de', 'ef', 'eg']) expect(x(from!)).toBeLessThan(x(to!));
  const places = [...steps.values()];
  for (const one of places)
    for (const other of places)
      if (one !== other)
        expect(Math.abs(one.x - other.x) >= 176 || Math.abs(one.y - other.y) >= 56).toBe(true);
  expect(width).toBeGreaterThanOrEqual(x('f') + 176);
});

test('PLAN-2 no line is drawn outside of the graph', () => {
  const drafts = ['one', 'two', 'three'].map((id) => [id, 'facts', 'questions'] as const);
  const { width, height, edges } = layOut([
    stage('parallel', ['facts'], ['questions']),
    stage('parallel', ...drafts),
    stage('parallel', ['edit-1', 'one'], ['edit-2', 'two'], ['edit-3', 'three']),
    stage('sequence', ['review', 'edit-1', 'edit-2', 'edit-3']),
  ]);
  const bends = edges.flatMap(({ points }) => points);
  expect(bends.filter(({ x, y }) => x < 0 || y < 0 || x > width || y > height)).toEqual([]);
});

test('a plan without steps has an empty graph', () => {
  expect(layOut([stage('parallel')]).steps.size).toBe(0);
});
