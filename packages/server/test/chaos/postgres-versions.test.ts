// Postgres 15 to 18: the same server on a database of each version. The other tests run on 18; this one on the oldest, and in
// the long form on those between.

import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { ask, createThread, followToEnd, seen, send } from '@continuo/testkit';
import { brokenInvariants, startForeignPostgres, startPod } from '@continuo/testkit/fixtures';

const VERSIONS = ['15.18.0-beta.17', '16.14.0-beta.17', '17.10.0-beta.17'];
const tried = process.env.CONTINUO_CHAOS === 'long' ? VERSIONS : VERSIONS.slice(0, 1);

test.for(tried)(
  'RUN-12 Postgres %s: a start migrates it, runs survive a kill, documents, search and projects work',
  { timeout: 300_000 },
  async (version, context) => {
    const postgres = await startForeignPostgres(version);
    if (postgres === null)
      return context.skip('npm has no such Postgres for this platform, or is not reachable');
    onTestFinished(() => postgres.end());
    const pool = new pg.Pool({ connectionString: postgres.url });
    // Postgres is stopped while connections are still closing.
    pool.on('error', () => undefined);
    onTestFinished(() => pool.end());
    const { rows } = await pool.query<{ server_version: string }>('show server_version');
    expect(rows[0]!.server_version).toMatch(new RegExp(`^${version.split('.')[0]}\\.`));

    const first = await startPod({ databaseUrl: postgres.url });
    const second = await startPod({ databaseUrl: postgres.url });
    onTestFinished(async () => void (await Promise.all([first.end(), second.end()])));
    await ask('PUT', `${first.url}/api/v1/workspaces/default/policy`, {
      rules: [{ tool: '*', action: 'allow' }],
    });
    const thread = await createThread(first.url);
    const written = '---\ntitle: "Tea \\"time\\""\n---\n\nAt five.\n';
    const run = await send(first.url, thread, {
      steps: [
        { text: 'I write.', calls: [{ tool: 'write', input: { path: '/tea.md', content: written } }] },
        { tokens: 200, delay_ms: 10 },
        { text: 'Done.' },
      ],
    });
    await seen(second.url, run.id, 'tool_end');
    first.kill('SIGKILL');
    const frames = await followToEnd(() => [second.url], run.id);
    expect(frames.at(-1)!.data).toEqual({ status: 'done' });

    const base = `${second.url}/api/v1/workspaces/default`;
    const made = await ask('POST', `${base}/projects`, {
      name: 'Apollo',
      goals: ['Land'],
      tasks: ['Build the lander'],
    });
    expect(made.status).toBe(201);
    const project = made.body.project;
    const quoted = { project_id: project.id, title: 'The "Eagle": a plan', content: 'It has landed.' };
    expect((await ask('POST', `${base}/documents`, quoted)).status).toBe(201);
    const { body: structure } = await ask(
      'GET',
      `${base}/projects/${project.id}/doc-structure?include=metadata`,
    );
    expect(structure.documents).toEqual(
      expect.arrayContaining([expect.objectContaining({ title: 'The "Eagle": a plan' })]),
    );
    const { body: found } = await ask('GET', `${base}/search?q=landed`);
    expect(found.items.length).toBeGreaterThan(0);
    expect((await ask('GET', `${second.url}/readyz`)).body).toMatchObject({
      status: 'ready',
      migrations: 'applied',
    });
    expect(await brokenInvariants(pool)).toEqual([]);
  },
);
