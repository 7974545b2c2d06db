// The client scenarios of the official conformance suite that fit: its own server, and a session as a pod opens it.

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const require = createRequire(import.meta.url);
const SUITE = require.resolve('@modelcontextprotocol/conformance/dist/index.js');
const CLIENT = fileURLToPath(new URL('./fixture/conformance-client.ts', import.meta.url));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'continuo-conformance-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each(['initialize', 'tools_call', 'sse-retry', 'elicitation-sep1034-client-defaults'])(
  'the conformance suite passes the client in %s',
  async (scenario) => {
    const command = `"${process.execPath}" "${CLIENT}"`;
    const args = [SUITE, 'client', '--command', command, '--scenario', scenario, '-o', folder];
    const { code, output } = await run(args);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('OVERALL: PASSED') });
  },
);

function run(args: readonly string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    );
  });
}
