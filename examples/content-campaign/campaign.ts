// A content campaign, from a topic to three published pages: the content strategist plans, you approve the plan, the team researches,
// writes, edits and reviews, and you approve what is published. Works with the offline model. Stop the program or kill the server
// at any moment: started again with the same topic, it goes on where it was.
//
//   node examples/content-campaign/campaign.ts "Tea for beginners"
//   node examples/site/serve.ts          shows the pages

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, ConnectionError, createClient } from '@continuo/client';

const topic = process.argv[2] ?? 'Tea for beginners';
// Approving needs the person's token, which the server created at its first start.
const token = process.env.CONTINUO_PERSON_TOKEN ?? readFileSync('.continuo/person-token', 'utf8').trim();
const baseUrl = process.env.CONTINUO_URL ?? 'http://127.0.0.1:4400';
const client = createClient({ baseUrl, apiKey: token });

// The same key opens no second chat, however often the program is started with this topic.
const idempotencyKey = `campaign ${topic}`;
const { chat, run } = await again(() =>
  client.chats.open({ goal: topic, role: 'content-strategist' }, { idempotencyKey }),
);
console.log(`chat ${chat.id}`);

const said = new Set<string>();
while (true) {
  const { status, error } = await again(() => client.runs.get(run.id));
  await approveWhatWaits();
  await sayProgress();
  if (status === 'done') break;
  if (status === 'error' || status === 'canceled') throw new Error(`${status}: ${error?.error ?? ''}`);
  await sleep(300);
}

const { items } = await again(() => client.content.list('articles', { sort: 'title', fields: 'slug,title' }));
for (const { slug, title } of items) console.log(`live: articles/${slug}: ${title}`);

/** Only what this campaign asks: what others ask in the workspace waits for you. */
async function approveWhatWaits(): Promise<void> {
  for (const { id, title, state, problems, content_version: version } of await ownPlans()) {
    if (state !== 'draft' || problems.length > 0) continue;
    await again(() => client.plans.approve(id, { version }));
    console.log(`approved the plan: ${title}`);
  }
  for (const { id, tool, input, run_id } of (await again(() => client.approvals.list())).items) {
    if (tool !== 'publish_content') continue;
    if ((await again(() => client.runs.get(run_id))).parent_run !== run.id) continue;
    // If the answer was lost with the server, the decision may be stored already.
    await again(() => client.approvals.decide(id, { decision: 'approve' })).catch((error: unknown) => {
      if (!(error instanceof ApiError && error.code === 'already_decided')) throw error;
    });
    const { type, slug, version } = input as { type: string; slug: string; version: number };
    console.log(`approved: ${type}/${slug}, version ${version}`);
  }
}

async function sayProgress(): Promise<void> {
  for (const { name, steps } of (await ownPlans()).flatMap(({ stages }) => stages)) {
    if (!steps.every(({ status }) => status === 'done') || said.has(name)) continue;
    said.add(name);
    console.log(`done: ${name}`);
  }
}

async function ownPlans() {
  const { items } = await again(() => client.plans.list());
  const plans = await Promise.all(items.map(({ id }) => again(() => client.plans.progress(id))));
  return plans.filter(({ chat_id }) => chat_id === chat.id);
}

/** While the server is away, tries again. */
async function again<T>(ask: () => Promise<T>): Promise<T> {
  while (true) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      await sleep(500);
    }
  }
}
