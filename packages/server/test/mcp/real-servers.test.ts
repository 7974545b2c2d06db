// The real servers from npm, over both transports.

import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { schemas } from '@continuo/protocol';
import { call, EVERYTHING, FILESYSTEM, MEMORY, node, useMcp } from './support.ts';

const world = useMcp();

test('PLUS-4 server-filesystem: its tools read and write files', async () => {
  const folder = join(world.folder, 'files');
  await mkdir(folder);
  await writeFile(join(folder, 'a.txt'), 'hello');
  const { mcp } = world.open();
  const workspace = await world.workspace();
  await world.put(workspace, 'fs', node([FILESYSTEM, folder]));
  const tools = await mcp.toolsOf(workspace);
  expect(tools.map(({ name }) => name)).toContain('fs__read_text_file');
  expect(tools.length).toBeGreaterThan(10);
  expect(tools.every(({ effect }) => effect === 'external')).toBe(true);
  expect(tools[0]!.schema).toMatchObject({ type: 'object', properties: { path: { type: 'string' } } });

  const read = await call(tools, 'fs__read_text_file', { path: join(folder, 'a.txt') });
  expect(JSON.stringify(read)).toContain('hello');
  await call(tools, 'fs__write_file', { path: join(folder, 'b.txt'), content: 'written' });
  expect(await readFile(join(folder, 'b.txt'), 'utf8')).toBe('written');
  await expect(call(tools, 'fs__read_text_file', { path: '/etc/passwd' })).rejects.toThrow(/denied/);
  await expect(call(tools, 'fs__read_text_file', { path: 7 })).rejects.toThrow(/string/);
});

test('PLUS-4 server-filesystem: annotations are believed where the server is trusted', async () => {
  const { mcp } = world.open();
  const workspace = await world.workspace();
  await world.put(workspace, 'fs', node([FILESYSTEM, world.folder], { trust: true }));
  const effects = new Map((await mcp.toolsOf(workspace)).map(({ name, effect }) => [name, effect]));
  expect(effects.get('fs__read_text_file')).toBe('pure');
  expect(effects.get('fs__write_file')).toBe('idempotent');
  expect(effects.get('fs__edit_file')).toBe('external');
});

test('PLUS-4 server-memory: what one call stored, another one finds', async () => {
  const { mcp } = world.open();
  const workspace = await world.workspace();
  const file = join(world.folder, 'memory.jsonl');
  await world.put(workspace, 'memory', node([MEMORY], { env: { MEMORY_FILE_PATH: file } }));
  const tools = await mcp.toolsOf(workspace);
  const entities = [{ name: 'Ada', entityType: 'person', observations: ['wrote the first program'] }];
  await call(tools, 'memory__create_entities', { entities });
  const graph = await call(tools, 'memory__read_graph');
  expect(graph).toMatchObject({ structured: { entities: [{ name: 'Ada' }] } });
  expect(graph).not.toHaveProperty('text');
  expect(await readFile(file, 'utf8')).toContain('Ada');
});

test('PLUS-4 server-everything over stdio: text, images and structured content', async () => {
  const { mcp } = world.open();
  const workspace = await world.workspace();
  await world.put(workspace, 'all', node([EVERYTHING, 'stdio']));
  await everything(await mcp.toolsOf(workspace));
});

test('PLUS-4 server-everything over streamable HTTP: the same, and its death is noticed', async () => {
  const port = await freePort();
  const server = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
    env: { PATH: process.env.PATH, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = new Promise((resolve) => server.once('exit', resolve));
  try {
    await new Promise<void>((resolve) => {
      server.stderr.on('data', (chunk: Buffer) => chunk.includes('listening') && resolve());
    });
    const opened = world.open();
    const workspace = await world.workspace();
    const url = `http://127.0.0.1:${port}/mcp`;
    await world.put(workspace, 'web', schemas.mcpConfig.parse({ transport: 'http', url }));
    const tools = await opened.mcp.toolsOf(workspace);
    await everything(tools);

    server.kill('SIGKILL');
    await exited;
    const failed = await opened.state(workspace, 'web', 'failed');
    expect(failed.retryAt - failed.since).toBe(1000);
    await expect(call(tools, 'web__echo', { message: 'x' })).rejects.toThrow(/the call was not made/);
  } finally {
    server.kill('SIGKILL');
    await exited;
  }
});

async function everything(tools: Parameters<typeof call>[0]): Promise<void> {
  const name = (end: string) => tools.find((tool) => tool.name.endsWith(`__${end}`))!.name;
  expect(tools.length).toBeGreaterThan(8);
  expect(await call(tools, name('echo'), { message: 'hello' })).toEqual({ text: 'Echo: hello' });
  const image = await call(tools, name('get-tiny-image'));
  expect(image).toMatchObject({
    notes: [expect.stringMatching(/^not shown: image, image\/png, \d+ bytes$/)],
  });
  const weather = await call(tools, name('get-structured-content'), { location: 'New York' });
  expect(weather).toMatchObject({ structured: { temperature: expect.any(Number) } });
  expect(
    await call(tools, name('trigger-long-running-operation'), { duration: 0.2, steps: 2 }),
  ).toMatchObject({ text: expect.stringContaining('completed') });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
