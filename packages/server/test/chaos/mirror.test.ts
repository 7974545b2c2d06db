// The folder on disk under fire: kill -9 at named points and at random, system calls that fail or kill, a pod that is
// stopped between commit and rename while another takes over. CONTINUO_CHAOS=long: more rounds.

import { execFileSync as run, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { AS_PERSON, createThread, followToEnd, send, until } from '@continuo/testkit';
import { freshDatabase, startPod, STRACE, type MirrorPod } from '@continuo/testkit/fixtures';
import { inDatabase, prepareGround, type Home } from './support/mirror.ts';
import { long, seeded } from './support/seeded.ts';

const FLUSH = ['before', 'written', 'recorded', 'captured', 'linked', 'placed', 'synced'];
const REMOVE = ['captured', 'placed', 'synced'];
const EDIT = ['edit', 'kept'];

async function died(pod: MirrorPod): Promise<void> {
  expect(await pod.exited).toBe('SIGKILL');
}

function edit(home: Home, path: string, text: string): void {
  const place = join(home.root, path);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, text);
}

describe('kill -9', () => {
  test('WS-2 a pod that is killed at any named point of a flush leaves a folder that becomes the database', async () => {
    const ground = await prepareGround();
    const home = ground.home();
    let pod = await home.start();
    await pod.ask({ kind: 'write', path: 'other/kept.md', text: 'kept' });
    await pod.ask({ kind: 'write', path: 'd/a.md', text: 'one' });
    let round = 0;
    const strike = async (point: string, order: Parameters<MirrorPod['begin']>[0]) => {
      await pod.ask({ kind: 'arm', fault: `mirror.${point}` });
      const { committed, done } = pod.begin(order);
      await committed;
      await expect(done).rejects.toThrow('the pod ended');
      await died(pod);
      pod = await home.start();
      await home.equal(pod);
      expect(pod.warnings).toEqual([]);
    };
    for (const point of FLUSH) {
      round += 1;
      await strike(point, { kind: 'write', path: 'd/a.md', text: `round ${round}` });
      expect(readFileSync(join(home.root, 'd/a.md'), 'utf8')).toBe(`round ${round}`);
      // In a new file's place there is nothing to capture.
      if (point !== 'captured') await strike(point, { kind: 'write', path: `n${round}/new.md`, text: 'new' });
    }
    for (const point of REMOVE) {
      await pod.ask({ kind: 'write', path: 'gone.md', text: 'x' });
      await strike(point, { kind: 'remove', path: 'gone.md' });
      expect(existsSync(join(home.root, 'gone.md'))).toBe(false);
    }
    expect((await inDatabase(ground.database.pool, ground.workspaceId)).get('/other/kept.md')).toBe('kept');
  }, 120_000);

  test('WS-2 a pod that is killed while a content is staged leaves what was committed, and no trace of it', async () => {
    const ground = await prepareGround();
    const home = ground.home();
    let pod = await home.start();
    for (let round = 1; round <= 5; round += 1) {
      await pod.ask({ kind: 'write', path: 'd/a.md', text: `before ${round}` });
      await pod.ask({ kind: 'arm', fault: 'mirror.staged' });
      const { done } = pod.begin({ kind: 'write', path: 'd/a.md', text: `staged ${round}` });
      await expect(done).rejects.toThrow('the pod ended');
      await died(pod);
      const [left] = readdirSync(join(home.root, 'd')).filter((name) => name.startsWith('.continuo-'));
      expect(readFileSync(join(home.root, 'd', left!), 'utf8')).toBe(`staged ${round}`);
      expect(readFileSync(join(home.root, 'd/a.md'), 'utf8')).toBe(`before ${round}`);
      pod = await home.start();
      await home.equal(pod);
      expect(pod.warnings).toEqual([]);
    }
  }, 120_000);

  test('WS-2 an edit on disk survives a pod that is killed before and after it was kept', async () => {
    const ground = await prepareGround();
    const home = ground.home();
    let pod = await home.start();
    await home.equal(pod);
    for (const point of EDIT) {
      for (const kind of ['new', 'clash', 'save'] as const) {
        const path = `${point}-${kind}.md`;
        if (kind !== 'new') await pod.ask({ kind: 'write', path, text: 'one\ntwo\n' });
        await pod.ask({ kind: 'arm', fault: `mirror.${point}` });
        const text = `one\ntwo by a person, ${path}\n`;
        edit(home, path, text);
        if (kind === 'clash') pod.begin({ kind: 'write', path, text: 'one\ntwo by an agent\n' });
        await died(pod);
        pod = await home.start();
        await home.equal(pod);
        expect(await ground.wasSaid(text)).toBe(true);
        const copies = [...(await inDatabase(ground.database.pool, ground.workspaceId)).keys()].filter(
          (each) => each.startsWith(`/${point}-${kind}.conflict`),
        );
        expect(copies.length).toBeLessThanOrEqual(1);
      }
    }
  }, 120_000);

  const kills = long ? 150 : 12;
  test(
    `WS-2 ${kills} kills at random, with agents and a person at work: nothing acknowledged and no edit is lost`,
    async () => {
      const chance = seeded();
      console.log(`CONTINUO_CHAOS_SEED=${chance.seed}`);
      const ground = await prepareGround();
      const home = ground.home();
      const acknowledged = new Map<string, number>();
      const edits: string[] = [];
      let count = 0;
      let pod = await home.start();
      await home.equal(pod);
      for (let kill = 0; kill < kills; kill += 1) {
        let over = false;
        const agents = Array.from({ length: 4 }, async (_, agent) => {
          while (!over) {
            count += 1;
            const path = `agents/${agent}/${chance.below(3)}.md`;
            const mark = count;
            await pod.ask({ kind: 'write', path, text: `${mark} ${'x'.repeat(chance.below(3000))}` }).then(
              () => acknowledged.set(path, mark),
              () => undefined,
            );
          }
        });
        const person = (async () => {
          while (!over) {
            // Each in a file of its own: a person who overwrites his own save loses it himself.
            const text = `person ${edits.length} was here\n`;
            const path = `person/${edits.length}.md`;
            if (chance.below(2) === 0) edit(home, path, text);
            else {
              edit(home, `${path}~`, text);
              renameSync(join(home.root, `${path}~`), join(home.root, path));
            }
            edits.push(text);
            await new Promise((resolve) => setTimeout(resolve, 20));
          }
        })();
        await new Promise((resolve) => setTimeout(resolve, chance.below(400)));
        pod.process.kill('SIGKILL');
        await pod.exited;
        over = true;
        await Promise.all([...agents, person]);
        pod = await home.start();
        await home.equal(pod);
        const database = await inDatabase(ground.database.pool, ground.workspaceId);
        for (const [path, mark] of acknowledged)
          expect(Number(database.get(`/${path}`)!.split(' ')[0])).toBeGreaterThanOrEqual(mark);
      }
      for (const text of edits) expect(await ground.wasSaid(text)).toBe(true);
      console.log(`${kills} kills, ${acknowledged.size} files, ${count} writes, ${edits.length} edits`);
    },
    long ? 1_800_000 : 120_000,
  );
});

describe('several pods', () => {
  for (const point of ['written', 'recorded', 'captured', 'linked', 'placed'])
    test(`WS-2 a pod that is stopped at "${point}" and wakes up after another took the folder over changes nothing`, async () => {
      const ground = await prepareGround();
      const home = ground.home();
      const first = await home.start();
      await first.ask({ kind: 'write', path: 'a.md', text: 'one' });
      await first.ask({ kind: 'write', path: 'b.md', text: 'one' });
      const second = await home.start();
      expect(await second.ask({ kind: 'role' })).toBe('private');
      await first.ask({ kind: 'arm', fault: `mirror.${point}`, signal: 'SIGSTOP' });
      const stopped = first.stopped();
      const { committed } = first.begin({ kind: 'write', path: 'a.md', text: 'two, by the stopped one' });
      await committed;
      await stopped;
      await until('the other took over', async () => (await second.ask({ kind: 'role' })) === 'owner');
      await second.ask({ kind: 'write', path: 'a.md', text: 'three' });
      await second.ask({ kind: 'remove', path: 'b.md' });
      await home.equal(second);
      first.process.kill('SIGCONT');
      await until('it knows', async () => (await first.ask({ kind: 'role' })) === 'private');
      await home.equal(second);
      await first.ask({ kind: 'write', path: 'a.md', text: 'four, by the former one' });
      await until('the owner has it', async () => (await home.differences()).length === 0);
      expect(readFileSync(join(home.root, 'a.md'), 'utf8')).toBe('four, by the former one');
      const { rows } = await ground.database.pool.query(
        "select 1 from file_versions where author->>'kind' = 'disk'",
      );
      expect(rows).toEqual([]);
    }, 60_000);

  test('WS-2 a pod that is stopped while its content is staged puts nothing in place after another took over', async () => {
    const ground = await prepareGround();
    const home = ground.home();
    const first = await home.start();
    await first.ask({ kind: 'write', path: 'd/a.md', text: 'one' });
    const second = await home.start();
    await first.ask({ kind: 'arm', fault: 'mirror.staged', signal: 'SIGSTOP' });
    const stopped = first.stopped();
    const { committed } = first.begin({ kind: 'write', path: 'd/a.md', text: 'two, by the stopped one' });
    await stopped;
    await until('the other took over', async () => (await second.ask({ kind: 'role' })) === 'owner');
    await second.ask({ kind: 'write', path: 'd/a.md', text: 'three' });
    await home.equal(second);
    first.process.kill('SIGCONT');
    await committed;
    await until('it knows', async () => (await first.ask({ kind: 'role' })) === 'private');
    await until('the folder is the database', async () => (await home.differences()).length === 0);
    const { rows } = await ground.database.pool.query(
      "select 1 from file_versions where author->>'kind' = 'disk'",
    );
    expect(rows).toEqual([]);
  }, 60_000);

  test('WS-2 two pods on one home: one has the folder, the other a private one, and takes over when the first is killed', async () => {
    const ground = await prepareGround();
    const home = ground.home();
    const first = await home.start();
    const second = await home.start();
    await first.ask({ kind: 'write', path: 'a.md', text: 'one' });
    await second.ask({ kind: 'write', path: 'b.md', text: 'two' });
    const folder = String(await second.ask({ kind: 'folder' }));
    expect(folder).toContain('private-1');
    expect(readFileSync(join(folder, 'a.md'), 'utf8')).toBe('one');
    await until('the owner has it', async () => (await home.differences()).length === 0);
    await first.ask({ kind: 'write', path: 'a.md', text: 'three' });
    await second.ask({ kind: 'folder' });
    expect(readFileSync(join(folder, 'a.md'), 'utf8')).toBe('three');
    first.process.kill('SIGKILL');
    await first.exited;
    await until('it is adopted', async () => (await second.ask({ kind: 'role' })) === 'owner');
    await home.equal(second);
    appendFileSync(join(home.root, 'a.md'), ', and more');
    await until('the edit is kept', () => ground.wasSaid('three, and more'));
    await home.equal(second);
  });

  test('WS-2 two pods on two homes: each has its folder, and an edit in one comes to the other', async () => {
    const ground = await prepareGround();
    const homes = [ground.home(), ground.home()] as const;
    const pods = await Promise.all(homes.map((home) => home.start()));
    await Promise.all(pods.map((pod) => pod.ask({ kind: 'folder' })));
    for (const pod of pods) expect(await pod.ask({ kind: 'role' })).toBe('owner');
    await pods[0]!.ask({ kind: 'write', path: 'a.md', text: '1\n2\n3\n4\n' });
    await until('it is there, too', async () => (await homes[1].differences()).length === 0);
    edit(homes[0], 'a.md', 'one\n2\n3\n4\n');
    edit(homes[1], 'a.md', '1\n2\n3\nfour\n');
    await until('both edits are in', () => ground.wasSaid('one\n2\n3\nfour\n'));
    for (const [index, home] of homes.entries()) await home.equal(pods[index]!);
  });
});

const strace = findStrace();

describe('system calls', () => {
  const cases = [
    ...['fsync', 'link', 'rename', 'unlink', 'utimensat', 'pwrite64'].flatMap((call) => [
      `${call}:error=EIO:when=4`,
      `${call}:signal=SIGKILL:when=5`,
    ]),
    'fsync:error=EIO:when=2+3',
    'link:signal=SIGKILL:when=2',
    'rename:signal=SIGKILL:when=3',
    'unlink:signal=SIGKILL:when=4',
  ];
  for (const inject of cases)
    test.skipIf(strace.why !== null)(
      `WS-2 the folder becomes the database after ${inject}${strace.why ? ` (skipped: ${strace.why})` : ''}`,
      async () => {
        const ground = await prepareGround();
        const home = ground.home();
        const [call] = inject.split(':');
        const strange = await home
          .start({
            leaseSeconds: 20,
            strace: [
              '-f',
              '-qq',
              '-o',
              '/dev/null',
              '--seccomp-bpf',
              '-e',
              `trace=${call}`,
              '-e',
              `inject=${inject}`,
            ],
          })
          .catch(() => null);
        const marks: [string, string][] = [];
        for (let round = 1; round <= 4 && strange; round += 1)
          for (const path of ['a.md', 'd/b.md'])
            await strange.ask({ kind: 'write', path, text: `round ${round}` }).then(
              () => marks.push([path, `round ${round}`]),
              () => undefined,
            );
        await strange?.ask({ kind: 'remove', path: 'a.md' }).catch(() => undefined);
        await strange?.ask({ kind: 'stop' }).catch(() => undefined);
        await strange?.end();
        const pod = await home.start();
        await home.equal(pod);
        const b = marks.findLast(([path]) => path === 'd/b.md');
        if (b) expect(readFileSync(join(home.root, 'd/b.md'), 'utf8') >= b[1]).toBe(true);
      },
      60_000,
    );

  test.skipIf(strace.why !== null)(
    `WS-2 while a call of the mirror hangs, others are answered${strace.why ? ` (skipped: ${strace.why})` : ''}`,
    async () => {
      const database = await freshDatabase();
      onTestFinished(() => database.drop());
      const pod = await startPod({ databaseUrl: database.url, env: { CONTINUO_MODEL: 'offline/instant' } });
      onTestFinished(() => pod.end());
      const file = `${pod.url}/api/v1/workspaces/default/files/a.md`;
      const write = (body: string) => fetch(file, { method: 'PUT', body, headers: AS_PERSON });
      expect((await write('one')).ok).toBe(true);
      // Far longer than the test: it ends when the tracer does.
      const inject = ['trace=rename', 'inject=rename:delay_enter=600s:when=1'].flatMap((each) => [
        '-e',
        each,
      ]);
      const hanging = spawn(STRACE, ['-f', '-p', String(pod.process.pid), ...inject]);
      onTestFinished(() => void hanging.kill('SIGKILL'));
      let traced = '';
      hanging.stderr.on('data', (chunk: Buffer) => (traced += chunk.toString()));
      await until('the tracer is there', () => traced.includes('attached'));
      let isWritten = false;
      const written = write('two').then((response) => {
        isWritten = true;
        return response;
      });
      await until('the call hangs', () => traced.includes('rename('));
      expect((await fetch(`${pod.url}/healthz`)).status).toBe(200);
      const { id } = await send(pod.url, await createThread(pod.url), 'hello');
      const frames = await followToEnd(() => [pod.url], id);
      expect(frames.at(-1)!.data.status).toBe('done');
      expect(isWritten).toBe(false);
      expect(readFileSync(join(pod.home, 'workspaces/default/a.md'), 'utf8')).toBe('one');
      hanging.kill('SIGINT');
      await once(hanging, 'close');
      expect((await written).ok).toBe(true);
      expect(readFileSync(join(pod.home, 'workspaces/default/a.md'), 'utf8')).toBe('two');
    },
    60_000,
  );
});

/** The machine's strace; for root on Debian it is installed. */
function findStrace(): { why: string | null } {
  const works = (): boolean => done('strace', ['-V']);
  if (works()) return { why: null };
  if (!existsSync('/usr/bin/apt-get')) return { why: 'there is no strace, and no apt-get to fetch one' };
  if (process.geteuid?.() !== 0) return { why: 'there is no strace, and only root can fetch one' };
  const install = (): boolean => done('apt-get', ['install', '-y', '--no-install-recommends', 'strace']);
  if (!install() && done('apt-get', ['update'])) install();
  return { why: works() ? null : 'there is no strace, and it could not be fetched' };
}

function done(program: string, args: readonly string[]): boolean {
  try {
    run(program, args, { stdio: 'ignore', timeout: 180_000 });
    return true;
  } catch {
    return false;
  }
}

const tmpfs = findTmpfs();

test.skipIf(tmpfs !== null)(
  `WS-2 a full disk tears nothing, and the folder becomes the database when there is room${tmpfs ? ` (skipped: ${tmpfs})` : ''}`,
  async () => {
    const ground = await prepareGround();
    const home = ground.home();
    expect(done('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', home.folder])).toBe(true);
    try {
      const pod = await home.start();
      await pod.ask({ kind: 'write', path: 'a.md', text: 'a'.repeat(1_000_000) });
      await home.equal(pod);
      writeFileSync(join(home.folder, 'ballast'), Buffer.alloc(700_000));
      await pod.ask({ kind: 'write', path: 'a.md', text: 'b'.repeat(900_000) });
      await expect(pod.ask({ kind: 'folder' })).rejects.toThrow(/ENOSPC|no space/);
      expect(readFileSync(join(home.root, 'a.md'), 'utf8')).toBe('a'.repeat(1_000_000));
      rmSync(join(home.folder, 'ballast'));
      await home.equal(pod);
      expect(readFileSync(join(home.root, 'a.md'), 'utf8')).toBe('b'.repeat(900_000));
      await pod.end();
    } finally {
      done('umount', ['--lazy', home.folder]);
    }
  },
);

function findTmpfs(): string | null {
  if (process.platform !== 'linux' || process.geteuid?.() !== 0) return 'only root can mount a small disk';
  return null;
}
