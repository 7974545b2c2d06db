// exec and apply_changes, called by runs in a real sandbox.

import { describe, expect, test } from 'vitest';
import { findBubblewrap } from '@continuo/testkit/fixtures';
import { judge } from '../../src/tools/policy.ts';
import { DEFAULT_POLICY } from '../../src/workspaces/policies.ts';
import { place, said } from '../files/tools/support.ts';
import { useSandbox } from './support.ts';

const { isThere, without } = await findBubblewrap();

describe.skipIf(!isThere)(`exec${without}`, () => {
  const world = useSandbox();

  test('WS-18 a command sees the workspace, and its changes are a proposal that apply_changes makes real', async () => {
    const { call, write, text, workspace } = await place(world);
    await write('/notes/a.txt', 'one\n');
    await write('/run.sh', 'echo "$GREETING from $(pwd)"\ncat notes/a.txt\n');
    const end = await call('exec', {
      command:
        'sh run.sh; echo two >> notes/a.txt; mkdir -p out; echo new > out/b.txt; ln -s /etc/passwd out/link; exit 3',
      env: { GREETING: 'hello' },
    });
    expect(end.success).toBe(true);
    expect(end.output).toMatchObject({
      exit_code: 3,
      changes: [
        { path: '/notes/a.txt', base: 1 },
        { path: '/out/b.txt', base: 0 },
      ],
      left_out: [{ path: '/out/link', reason: 'it is a symbolic link' }],
    });
    expect(said(end)).toContain('hello from /workspace\none\n[exit code 3');
    expect(await text('/notes/a.txt')).toBe('one\n');

    const applied = await call('apply_changes', { call: end.call, paths: ['/notes/a.txt', '/out/b.txt'] });
    expect(said(applied)).toBe('2 of 2 files changed\n/notes/a.txt: version 2\n/out/b.txt: version 1');
    expect(await text('/notes/a.txt')).toBe('one\ntwo\n');
    expect(await text('/out/b.txt')).toBe('new\n');
    const again = await call('apply_changes', { call: end.call, paths: ['/out/b.txt'] });
    expect(said(again)).toContain(
      '/out/b.txt was applied already: the change became version 1, and the file is version 1 now',
    );
    expect(await world.paths(workspace)).toEqual(['/notes/a.txt', '/out/b.txt', '/run.sh']);
  });

  test('WS-18 a file that changed since the command started is not overwritten, and nothing else is applied', async () => {
    const { call, write, text } = await place(world);
    await write('/a.txt', 'one');
    await write('/b.txt', 'one');
    const end = await call('exec', { command: 'echo two > a.txt; echo two > b.txt' });
    await write('/b.txt', 'by a person');
    const refused = await call('apply_changes', { call: end.call, paths: ['/a.txt', '/b.txt'] });
    expect(refused.success).toBe(false);
    expect(said(refused)).toBe(
      'nothing was applied: /b.txt has changed since the command started: it was version 1, and is version 2 now; run the command again',
    );
    expect(await text('/a.txt')).toBe('one');
    const other = await call('apply_changes', { call: end.call, paths: ['/c.txt'] });
    expect(said(other)).toContain('it changed: /a.txt, /b.txt');
    expect(said(await call('apply_changes', { call: 'nothing', paths: ['/a.txt'] }))).toContain(
      'has no exec',
    );
  });

  test('WS-18 a slice is all that a command sees of the workspace', async () => {
    const { call, write } = await place(world);
    await write('/src/lib/a.txt', 'a');
    await write('/secrets/key.txt', 'secret');
    const end = await call('exec', {
      command: 'pwd; find /workspace -type f; echo b > b.txt',
      slice: '/src/lib',
    });
    expect(said(end)).toContain('/workspace/src/lib\n/workspace/src/lib/a.txt\n[exit code 0');
    expect(end.output).toMatchObject({ changes: [{ path: '/src/lib/b.txt', base: 0 }] });
    expect(said(await call('exec', { command: 'true', slice: '/nothing' }))).toContain('there is no');
    expect(said(await call('exec', { command: 'true', slice: '/src/lib/a.txt' }))).toBe(
      '/src/lib/a.txt is a file, not a folder; name the folder that it is in',
    );
    expect(said(await call('exec', { command: 'true', slice: '../..' }))).toContain(
      'not a path in the workspace',
    );
    expect(said(await call('exec', { command: 'pwd', cwd: '/src' }))).toContain('/workspace/src\n');
    expect((await call('exec', { command: 'true', cwd: '/nowhere' })).output).toMatchObject({ exit_code: 1 });
  });

  test('WS-18 a rule about reading a folder applies to commands that could read it', async () => {
    const { call, write, workspace } = await place(world);
    await write('/src/a.txt', 'a');
    await write('/secrets/key.txt', 'secret');
    const rules = [
      { tool: '*', action: 'allow' },
      { tool: 'read', path: '/secrets/**', action: 'deny' },
    ];
    await world.pool.query('update workspaces set policy = $2 where id = $1', [
      workspace,
      JSON.stringify({ rules }),
    ]);
    expect(said(await call('exec', { command: 'cat secrets/key.txt' }))).toContain('denied');
    expect(said(await call('exec', { command: 'cat a.txt', slice: '/src' }))).toContain('a\n[exit code 0');
  });

  test('WS-18 the scratch volume stays from command to command of a chat, and is of that chat alone', async () => {
    const { call, workspace } = await place(world);
    await call('exec', { command: 'echo kept > /scratch/a; echo gone > /tmp/a; echo gone > a' });
    expect(said(await call('exec', { command: 'cat /scratch/a /tmp/a a' }))).toMatch(/^kept\ncat: .*\ncat: /);
    const other = await world.threadIn(workspace);
    const { ends } = await world.calls(other, { tool: 'exec', input: { command: 'ls -A /scratch' } });
    expect(said(ends[0])).toMatch(/^\[exit code 0/);
  });

  test('WS-18 what a hostile command leaves in its layer is never followed', async () => {
    const { call, write, text } = await place(world);
    await write('/kept.txt', 'kept');
    await write('/folder/inside.txt', 'inside');
    const end = await call('exec', {
      command: [
        'mkfifo pipe; ln -s /etc/shadow link; ln -s .. up; cp /bin/sh tool; chmod 6777 tool',
        'perl -MSocket -e \'socket(S, AF_UNIX, SOCK_STREAM, 0); bind(S, sockaddr_un("socket"))\'',
        'rm kept.txt; rm -rf folder; echo file > folder',
        'touch "bad\nname" "trailing." CON; printf x > "$(printf "\\377")"; printf x > "$(printf "a\\nb")"',
        'mkdir -p chats agents node_modules/x .git; echo evil > chats/x.md; echo evil > agents/evil.md',
        'echo evil > AGENTS.md; echo dep > node_modules/x/y; head -c 9M /dev/zero > large',
        String.raw`touch $'\e]0;title\a' $'\u061c\u202ename'`,
        'echo one > Case.txt; echo two > case.txt; truncate -s 100G sparse; true',
      ].join('\n'),
    });
    const { changes, left_out } = end.output as Record<string, { path: string; reason: string }[]>;
    const paths = changes!.map(({ path }) => path);
    expect(paths).toEqual([
      '/AGENTS.md',
      '/Case.txt',
      '/agents/evil.md',
      '/case.txt',
      '/folder',
      '/sparse',
      '/tool',
    ]);
    const why = Object.fromEntries(left_out!.map(({ path, reason }) => [path, reason]));
    expect(why).toMatchObject({
      '/pipe': 'it is not a regular file',
      '/socket': 'it is not a regular file',
      '/link': 'it is a symbolic link',
      '/up': 'it is a symbolic link',
      '/kept.txt': 'it was removed in the sandbox; call remove to remove it',
      '/chats/x.md': 'chats are read-only',
      '/large': 'it is larger than 8388608 bytes',
    });
    expect(Object.keys(why)).toEqual(
      expect.arrayContaining(['/node_modules', '/.git', String.raw`/a\u000ab`, '/CON']),
    );
    // Names do not control their reader.
    expect(Object.keys(why)).toEqual(
      expect.arrayContaining([String.raw`/\u001b]0;title\u0007`, String.raw`/\u061c\u202ename`]),
    );
    // oxlint-disable-next-line no-control-regex
    expect(said(end)).not.toMatch(/[\u001b\u0007\u061c\u202e]/);
    // The folder is still there: applying the file over it is refused.
    expect(said(await call('apply_changes', { call: end.call, paths: ['/folder'] }))).toContain('folder');
    // Two files that differ only in case: the second is refused, and with it the first.
    expect((await call('apply_changes', { call: end.call, paths: ['/Case.txt', '/case.txt'] })).success).toBe(
      false,
    );
    expect(await text('/kept.txt')).toBe('kept');
    expect(await text('/Case.txt')).toBe(null);
  });

  test('WS-18 a command cannot change what governs agents: applying that asks a person, as writing it does', async () => {
    const { call, workspace } = await place(world);
    const end = await call('exec', {
      command: 'mkdir agents; echo evil > agents/evil.md; echo evil > AGENTS.md',
    });
    expect(await world.paths(workspace)).toEqual([]);
    const { effect, like, paths } = world.tools.find(({ name }) => name === 'apply_changes')!;
    for (const path of ['/agents/evil.md', '/AGENTS.md', 'agents//evil.md']) {
      const touched = await paths!({ call: end.call, paths: [path] }, { workspaceId: workspace });
      const asked = { tool: 'apply_changes', effect, like, paths: touched };
      expect(judge(asked, { workspace: DEFAULT_POLICY, role: [] }).action).toBe('ask');
      const read = [{ tool: 'write', path: '/agents/**', action: 'deny' as const }];
      const verdict = judge(asked, { workspace: [{ tool: '*', action: 'allow' }, ...read], role: [] });
      expect(verdict.action).toBe(path === '/AGENTS.md' ? 'allow' : 'deny');
    }
  });

  test('WS-18 the CPU time of a command is that of all its processes', async () => {
    const { call } = await place(world);
    const busy = `perl -e '1 for 1 .. 4e6; print((times)[0], "\\n")'`;
    const { output } = await call('exec', { command: `(${busy}) & ${busy} && wait` });
    const { text, cpu_seconds: all } = output as { text: string; cpu_seconds: number };
    const each = text.split('\n').slice(0, 2).map(Number);
    expect(each[0]).toBeGreaterThan(0);
    expect(all).toBeGreaterThanOrEqual(each[0]! + each[1]!);
  });

  test('WS-18 commands give way to the server: they have a low priority and long slices', async () => {
    const { call } = await place(world);
    const { output } = await call('exec', { command: 'nice; chrt --pid $$' });
    expect((output as { text: string }).text).toMatch(/^10\n.*: SCHED_BATCH$/m);
  });

  test('WS-18 output that controls a terminal or is no text arrives as plain text', async () => {
    const { call } = await place(world);
    const end = await call('exec', {
      command: `printf 'a\\033[2J\\033]0;title\\007b\\033]52;c;ZXZpbA==\\033\\\\c\\033[31mred\\033[0m\\rover\\b\\000\\377d\\342\\200\\256e\\n'`,
    });
    expect(said(end)).toMatch(/^over\ufffdde\n\[exit code 0/);
  });

  test('WS-18 all of a long output can be looked up by the next commands, though the call keeps its ends alone', async () => {
    const { call } = await place(world);
    const end = await call('exec', { command: 'seq 300000' });
    expect(end.output).toMatchObject({ output_file: '/outputs/1.txt', output_bytes: 1_988_895 });
    const found = await call('exec', { command: 'sed -n 150000p /outputs/1.txt; wc -c < /outputs/1.txt' });
    expect(said(found)).toMatch(/^150000\n1988895\n/);
  });

  test('WS-18 one line of a mebibyte, overwritten or not, does not hold up the server', async () => {
    const { call } = await place(world);
    const end = await call('exec', {
      command: `head -c 1000000 /dev/zero | tr '\\0' a; printf '\\rover\\n'; head -c 40000 /dev/zero | tr '\\0' b`,
    });
    expect(said(end)).toMatch(/^over\nb{8}/);
  });
});
