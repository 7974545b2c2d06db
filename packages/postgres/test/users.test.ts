// As whom the embedded database runs, and from which folders.

import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { othersCanEnter } from '../src/reach.ts';
import { socketFolder } from '../src/socket.ts';
import {
  canRunUnder,
  cleanUp,
  copyOfBinaries,
  emptyHome,
  isRoot,
  listedLinks,
  makeFolder,
  postmasterOf,
  query,
  removeStoppedHome,
  startPod,
  stoppedHome,
} from './support/harness.ts';

const NOBODY = 65534;
const UNLISTED = 54999;

const ONLY_ROOT = ['unshare', '--user', '--map-root-user'];
const NO_RIGHTS = ['setpriv', '--inh-caps=-all', '--bounding-set=-all'];
const CONTAINER = ['unshare', '--pid', '--ipc', '--fork', '--mount-proc', '--kill-child'];

afterEach(cleanUp);
afterAll(removeStoppedHome);

test('with install scripts off, the links between the libraries are made', async () => {
  const binaries = copyOfBinaries(makeFolder());
  const opened = await startPod(emptyHome(), { binaries }).open();
  expect(opened.started).toBe(true);
  for (const { target } of listedLinks(binaries)) expect(existsSync(join(binaries, '..', target))).toBe(true);
});

test('the home is its owner’s alone, also one that was open to others', async () => {
  const made = emptyHome(join(makeFolder(), 'new'));
  const open = makeFolder(0o755);
  for (const home of [made, open]) {
    expect((await startPod(home).open()).started).toBe(true);
    expect(statSync(home).mode & 0o777).toBe(0o700);
  }
});

describe.skipIf(!isRoot)('as root', () => {
  test('the server runs as a user that nobody else is, and owns its data', async () => {
    const home = await stoppedHome();
    await startPod(home).open();
    const { uid } = statSync(`/proc/${postmasterOf(home)}`);
    expect(passwd().some((line) => line.split(':')[2] === String(uid))).toBe(false);
    expect(statSync(join(home, 'postgres'))).toMatchObject({ uid, gid: uid });
  });

  test('a home below a private folder works, and its data survives a restart', async () => {
    const home = emptyHome(join(makeFolder(0o700), 'project'));
    await keepsData(home);
  });

  test('programs below a private folder are copied to where the server can read them', async () => {
    const binaries = copyOfBinaries(makeFolder(0o700));
    await keepsData(await stoppedHome(), binaries);
  });

  test('a project and a home below one private folder work, and a damaged copy of the programs is renewed', async () => {
    const folder = makeFolder(0o700);
    const binaries = copyOfBinaries(folder);
    const version = `test${process.pid}`;
    writeFileSync(join(binaries, '..', 'package.json'), JSON.stringify({ version }));
    const copy = join('/var/tmp', `continuo-postgres-${version}-0`);
    const home = emptyHome(folder);
    try {
      await keepsData(home, binaries);
      rmSync(join(copy, 'bin', 'postgres'));
      expect((await startPod(home, { binaries }).open()).started).toBe(true);
    } finally {
      await cleanUp();
      rmSync(copy, { recursive: true, force: true });
    }
  });

  test('a temporary folder that is private is not used for the socket', async () => {
    const opened = await startPod(await stoppedHome(), {
      env: { ...process.env, TMPDIR: makeFolder(0o700) },
    }).open();
    expect(opened.connection.host).toMatch(/^\/tmp\//);
  });

  test('a socket folder that another user prepared is refused', async () => {
    const home = await stoppedHome();
    const folder = socketFolder(home);
    mkdirSync(folder, { mode: 0o700 });
    chownSync(folder, NOBODY, NOBODY);
    expect(await startPod(home).ask('open')).toMatchObject({ code: 'unsafe-socket-folder' });
    rmSync(folder, { recursive: true });
  });

  test.skipIf(!canRunUnder(ONLY_ROOT))(
    'in a container that has no other user id, the server runs in a user namespace',
    async () => {
      const opened = await startPod(emptyHome(), { under: ONLY_ROOT }).open();
      expect(await query(opened, 'select 1 as one')).toEqual([{ one: 1 }]);
    },
  );

  test.skipIf(!canRunUnder(NO_RIGHTS))(
    'root without any rights is told to start as an ordinary user',
    async () => {
      expect(await startPod(emptyHome(), { under: NO_RIGHTS }).ask('open')).toMatchObject({
        code: 'cannot-drop-root',
      });
    },
  );

  test.skipIf(!canRunUnder(CONTAINER))(
    'a home in use in another container is refused, because two servers would destroy it',
    async () => {
      const home = await stoppedHome();
      const opened = await startPod(home).open();
      const elsewhere = startPod(home, { under: CONTAINER });
      expect(await elsewhere.ask('open')).toMatchObject({ code: 'elsewhere' });
      expect(await query(opened, 'select 1 as one')).toEqual([{ one: 1 }]);
    },
  );
});

const canBecomeOrdinary = isRoot && othersCanEnter(import.meta.dirname) && othersCanEnter(tmpdir());

describe.skipIf(!canBecomeOrdinary)(
  'as an ordinary user (needs root to become one, and a project that others can read)',
  () => {
    test('a cold start runs the server as that user', async () => {
      const home = homeOf(NOBODY);
      const opened = await startPod(home, { uid: NOBODY, gid: NOBODY }).open();
      expect(opened.started).toBe(true);
      expect(statSync(`/proc/${postmasterOf(home)}`).uid).toBe(NOBODY);
    });

    test('a database of that user stays that user\u2019s after root has used it', async () => {
      const home = homeOf(NOBODY);
      const [owner, root] = [startPod(home, { uid: NOBODY, gid: NOBODY }), startPod(home)];
      await owner.open();
      await owner.ask('release');
      await root.open();
      expect(statSync(`/proc/${postmasterOf(home)}`).uid).toBe(NOBODY);
      await root.ask('release');
      expect((await owner.open()).started).toBe(true);
    });

    test('programs whose links cannot be made where they are, are copied', async () => {
      const binaries = copyOfBinaries(makeFolder());
      const opened = await startPod(homeOf(NOBODY), { uid: NOBODY, gid: NOBODY, binaries }).open();
      expect(opened.started).toBe(true);
    });

    test.skipIf(!canRunUnder(['unshare', '--user']))(
      'a user without an entry in /etc/passwd gets a database by way of a user namespace',
      async () => {
        const home = homeOf(UNLISTED);
        const opened = await startPod(home, { uid: UNLISTED, gid: UNLISTED }).open();
        expect(opened.started).toBe(true);
        expect(statSync(join(home, 'postgres')).uid).toBe(UNLISTED);
      },
    );

    test('a user without an entry is told so where there are no user namespaces', async () => {
      const pod = startPod(homeOf(UNLISTED), { uid: UNLISTED, gid: UNLISTED, env: { PATH: '/nowhere' } });
      expect(await pod.ask('open')).toMatchObject({ code: 'no-user-entry' });
    });

    test('a home of somebody else is refused', async () => {
      const home = homeOf(UNLISTED);
      chmodSync(home, 0o755);
      const pod = startPod(home, { uid: NOBODY, gid: NOBODY });
      expect(await pod.ask('open')).toMatchObject({ code: 'not-writable' });
    });
  },
);

function homeOf(uid: number): string {
  const home = emptyHome();
  mkdirSync(home);
  chownSync(home, uid, uid);
  return home;
}

function passwd(): string[] {
  return readFileSync('/etc/passwd', 'utf8').split('\n');
}

/** Creates a database, writes into it, and finds what was written after a restart. */
async function keepsData(home: string, binaries?: string): Promise<void> {
  const pod = startPod(home, binaries ? { binaries } : {});
  await query(await pod.open(), 'create table kept as select 42 as answer');
  await pod.ask('release');
  const again = await pod.open();
  expect(again.started).toBe(true);
  expect(await query(again, 'select answer from kept')).toEqual([{ answer: 42 }]);
  await pod.ask('release');
}
