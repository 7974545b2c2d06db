// A project with tasks and a document; a copy of the tasks that follows the change feed; and a change that comes too late.
//
//   node examples/project.ts

import { createClient, VersionConflict } from '@continuo/client';
import { applyEntityPatch, type HeldEntity } from '@continuo/protocol';

const client = createClient({ baseUrl: process.env.CONTINUO_URL ?? 'http://127.0.0.1:4400' });

const { project, entitiesCreated } = await client.projects.create({
  name: 'Garden party',
  purpose: '40 people in the garden, and no rain plan.',
  goals: ['Everybody sits'],
  tasks: [{ title: 'Rent chairs', goal: 0, priority: 'high' }, 'Invite everybody'],
});
console.log(`created: ${entitiesCreated.map(({ kind }) => kind).join(', ')}`);

// A copy of the tasks: what the list returned, and from then on only patches.
const tasks = client.entities('task');
const { items, as_of } = await tasks.list({ project_id: project.id });
const copy = new Map<string, HeldEntity>(items.map((task) => [task.id, task]));
const leaving = new AbortController();
const following = (async () => {
  for await (const change of client.workspaces.stream({ after: as_of, signal: leaving.signal })) {
    if (change.type !== 'entity_patch' || change.data.entity_type !== 'task') continue;
    const { entity_id, entity_name, version } = change.data;
    copy.set(entity_id, applyEntityPatch(copy.get(entity_id), change.data));
    console.log(`patched: ${entity_name}, version ${version}`);
    if (entity_name === 'Buy lemons') return;
  }
})();

const [chairs] = items;
await tasks.change(chairs!.id, { state: 'done' }, { base: chairs!.version });
try {
  await tasks.change(chairs!.id, { state: 'canceled' }, { base: chairs!.version });
} catch (error) {
  if (!(error instanceof VersionConflict)) throw error;
  console.log(`too late: it is ${(error.current as typeof chairs)!.state}`);
}

const food = await client.documents.create({ project_id: project.id, title: 'Food', content: 'Lemonade.\n' });
const lemons = await tasks.create({ project_id: project.id, title: 'Buy lemons' });
await following;
leaving.abort();

const now = await tasks.list({ project_id: project.id });
const isEqual = now.items.every((task) => copy.get(task.id)?.version === task.version);
console.log(`the copy is ${isEqual ? 'equal' : 'not equal'} to the database: ${copy.size} tasks`);

await client.edges.create({ from_id: lemons.id, rel: 'references', to_id: food.id });
const { items: links } = await client.edges.list(food.id);
console.log(links.map(({ label, entity }) => `${food.title} ${label} ${entity.title}`).join('\n'));
