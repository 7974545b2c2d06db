// Files: a write end to end, a large workspace opened, listed and searched.

import { execFileSync } from 'node:child_process';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { Desk, WORKSPACE } from '../desk.ts';
import { treeCpuMs } from '../measure/cpu.ts';
import { digits, median, ratio } from '../measure/numbers.ts';
import type { Stage } from '../stage.ts';
import { judged, type Line, type Row } from './line.ts';

const WRITE_BYTES = 2048;
const LISTINGS = 10;
const NEEDLE = 'a needle';

/** Files of a few lines in a hundred folders, as writes would have left them. */
const FILL = `
  with new as (
    select g, uuidv7() as id, '/folder-' || g % 100 || '/file-' || g || '.md' as path,
      convert_to('# File ' || g || E'\\n\\nSome lines.\\n', 'UTF8') as data
    from generate_series(1, $2::int) as g
  ), stored as (
    insert into chunks (hash, data, kept) select sha256(data), data, true from new
  ), made as (
    insert into files (id, workspace_id, path, folded, kind, version, hash, size, is_text)
    select id, $1, path, path, 'file', 1, sha256(data), length(data), true from new
  ), versions as (
    insert into file_versions (workspace_id, file_id, version, op, path, hash, size, chunks, is_text, author)
    select $1, id, 1, 'write', path, sha256(data), length(data), array[sha256(data)], true, '{"kind":"person"}' from new
  ), changed as (
    insert into changes (workspace_id, seq, type, object_id, data)
    select $1, g, 'file_updated', id, json_build_object('file', id, 'path', path, 'v', 1, 'kind', 'file',
      'size', length(data), 'hash', encode(sha256(data), 'hex'), 'author', json_build_object('kind', 'person')) from new
  )
  update workspaces set change_seq = $2 where id = $1`;

export const files: Line = {
  key: 'files',
  measure: async (stage) => [
    await within(stage, 'files_write', write),
    ...(await within(stage, 'files_many', many)),
    await within(stage, 'files_grep', grep),
  ],
};

async function within<T>(stage: Stage, name: string, work: (stage: Stage, desk: Desk) => Promise<T>) {
  const desk = await Desk.open(stage, name);
  try {
    return await work(stage, desk);
  } finally {
    await desk.close();
  }
}

async function write(stage: Stage, desk: Desk): Promise<Row> {
  await desk.openMirror();
  await desk.follow();
  await desk.pool.query('create table raw (id serial primary key, data bytea not null)');
  const content = (turn: number) => Buffer.alloc(WRITE_BYTES, `${turn} is what it says now; `);
  const raw = async (turn: number) => {
    await desk.pool.query({
      name: 'raw',
      text: 'insert into raw (data) values ($1)',
      values: [content(turn)],
    });
    const file = openSync(join(desk.home, `raw-${turn}`), 'wx');
    writeSync(file, content(turn));
    fsyncSync(file);
    closeSync(file);
  };
  const times: { raw: number[]; ours: number[] } = { raw: [], ours: [] };
  const count = stage.many(100, 20) * stage.options.rounds;
  for (let turn = -5; turn < count; turn += 1) {
    const rawMs = await timed(() => raw(turn));
    const oursMs = await timed(() => desk.write(`/notes/file-${turn % 10}.md`, content(turn), true));
    if (turn < 0) continue;
    times.raw.push(rawMs);
    times.ours.push(oursMs);
  }
  const [ours, base] = [median(times.ours), median(times.raw)];
  return {
    key: 'files-write',
    line: `a write of ${WRITE_BYTES / 1024} KiB: committed, on disk and its event seen, p50, against one commit and one fsynced file`,
    target: '≤ 3×',
    measured: `${ratio(ours / base)} (${digits(ours, 'ms')} against ${digits(base, 'ms')})`,
    verdict: judged(ours <= 3 * base),
  };
}

async function many(stage: Stage, desk: Desk): Promise<readonly Row[]> {
  const count = stage.many(20_000, 2000);
  await desk.pool.query(FILL, [WORKSPACE, count]);
  await desk.pool.query('vacuum (analyze)');
  const cold = await timed(() => desk.openMirror());
  await desk.closeMirror();
  const warm: number[] = [];
  for (let round = 0; round < stage.options.rounds; round += 1) {
    warm.push(await timed(() => desk.openMirror()));
    if (round < stage.options.rounds - 1) await desk.closeMirror();
  }
  const shown = count.toLocaleString('en');
  const rows: Row[] = [
    {
      key: 'files-open',
      line: `opening a workspace of ${shown} files whose mirror is up to date, against a cold one`,
      target: '≤ 1/10',
      measured: `${ratio(median(warm) / cold)} (${digits(median(warm), 'ms')} against ${digits(cold, 'ms')})`,
      verdict: judged(median(warm) <= cold / 10),
    },
  ];
  const listings = [
    ['tree', { path: '/' }],
    ['glob', { pattern: '**/file-*7.md' }],
  ] as const;
  for (const [tool, input] of listings) {
    const spent = await cpu(stage, () => desk.call(tool, input));
    rows.push({
      key: `files-${tool}`,
      line: `CPU of ${tool} on ${shown} files`,
      target: '< 100 ms',
      measured: digits(spent, 'ms'),
      verdict: judged(spent < 100),
    });
  }
  return rows;
}

async function grep(stage: Stage, desk: Desk): Promise<Row> {
  await desk.openMirror();
  const megabytes = stage.many(100, 10);
  for (let file = 0; file < megabytes; file += 1) {
    const line = `line of file ${file}, in which there is nothing to be found by anybody\n`;
    const text = line.repeat(Math.ceil(1e6 / line.length)).slice(0, 1e6 - 30);
    await desk.write(`/big/file-${file}.txt`, Buffer.from(`${text}\n${NEEDLE} ${file}\n`), false);
  }
  const folder = join(desk.home, 'workspaces', 'default');
  const options = '--no-config --no-heading --line-number --with-filename --hidden --no-ignore'.split(' ');
  const bare = () => execFileSync(rgPath, [...options, `--regexp=${NEEDLE}`, './'], { cwd: folder });
  const ours = () => desk.call('grep', { pattern: NEEDLE });
  const found = await ours();
  if (found.matches !== megabytes) throw new Error(`grep found ${String(found.matches)} of ${megabytes}`);
  bare();
  const times: { bare: number[]; ours: number[] } = { bare: [], ours: [] };
  for (let turn = 0; turn < 5 * stage.options.rounds; turn += 1) {
    times.bare.push(await timed(bare));
    times.ours.push(await timed(ours));
  }
  const [mine, base] = [median(times.ours), median(times.bare)];
  return {
    key: 'files-grep',
    line: `grep over ${megabytes} MB, against ripgrep itself`,
    target: '≤ 1.5×',
    measured: `${ratio(mine / base)} (${digits(mine, 'ms')} against ${digits(base, 'ms')})`,
    verdict: judged(mine <= 1.5 * base),
  };
}

async function timed(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Milliseconds of CPU, here and in Postgres, of one call. */
async function cpu(stage: Stage, work: () => Promise<unknown>): Promise<number> {
  await work();
  const spent: number[] = [];
  for (let round = 0; round < stage.options.rounds; round += 1) {
    const before = { server: process.cpuUsage(), postgres: treeCpuMs(stage.postgres.postmaster) };
    for (let done = 0; done < LISTINGS; done += 1) await work();
    const { user, system } = process.cpuUsage(before.server);
    const postgres = treeCpuMs(stage.postgres.postmaster) - before.postgres;
    spent.push(((user + system) / 1000 + postgres) / LISTINGS);
  }
  return median(spent);
}
