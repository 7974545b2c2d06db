// A new kind is one file: the service, the routes, the OpenAPI document and what the console's forms are made of follow from it.

import { expect, test } from 'vitest';
import { ask } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';

const world = usePod({ CONTINUO_TEST_KIND: 'decision' });

test('ONT-1 a kind that one file defines has its routes, its states, its schema and its form', async () => {
  const base = `${world.url}/api/v1/workspaces/default`;
  const { body: kinds } = await ask('GET', `${base}/kinds`);
  expect(kinds.items.at(-1)).toMatchObject({
    kind: 'decision',
    plural: 'decisions',
    label: { one: 'Decision' },
    states: { initial: 'proposed', transitions: { proposed: ['accepted'] } },
    columns: ['state', 'weight'],
    fields: { properties: { weight: expect.anything(), reason: expect.anything() } },
  });
  const { body: document } = await ask('GET', `${world.url}/openapi.json`);
  expect(document.components.schemas).toMatchObject({ Decision: {}, NewDecision: {}, DecisionPatch: {} });
  const { body: made } = await ask('POST', `${base}/projects`, { name: 'Court' });
  const created = await ask('POST', `${base}/decisions`, {
    project_id: made.project.id,
    title: 'We use boats',
    weight: 'heavy',
  });
  expect(created).toMatchObject({
    status: 201,
    body: { kind: 'decision', state: 'proposed', weight: 'heavy' },
  });
  const path = `${base}/decisions/${created.body.id}`;
  expect(await ask('PATCH', path, { state: 'revoked' })).toMatchObject({ status: 422 });
  expect(await ask('PATCH', path, { weight: 'middling' })).toMatchObject({ status: 400 });
  expect(await ask('PATCH', path, { state: 'accepted' })).toMatchObject({
    status: 200,
    body: { version: 2 },
  });
  const board = await ask('GET', `${base}/decisions/board?project_id=${made.project.id}`);
  expect(board.body.columns).toMatchObject([{ count: 0 }, { state: 'accepted', count: 1 }, { count: 0 }]);
  const edge = { from_id: created.body.id, to_id: made.project.id, rel: 'references' };
  expect((await ask('POST', `${base}/edges`, edge)).status).toBe(201);
});
