// Commands in the sandbox: a Node and a Python project run their tests, and one of them proposes a file, which is shown and
// applied. Needs bubblewrap on the server's machine; see docs/sandbox.md.
//
//   node examples/commands.ts

import { createClient } from '@continuo/client';

const client = createClient({ baseUrl: process.env.CONTINUO_URL ?? 'http://127.0.0.1:4400' });
const { usable, reason, remedy } = await client.executions.sandbox();
if (!usable) throw new Error(`the server cannot run commands: ${reason}; ${remedy}`);

await client.files.write('/node-app/sum.js', 'export const sum = (a, b) => a + b;\n');
await client.files.write(
  '/node-app/package.json',
  '{ "type": "module", "scripts": { "test": "node --test" } }\n',
);
await client.files.write(
  '/node-app/sum.test.js',
  `import assert from 'node:assert';
import { test } from 'node:test';
import { sum } from './sum.js';
test('sums', () => assert.equal(sum(1, 2), 3));
`,
);
await client.files.write(
  '/python-app/test_sum.py',
  `import unittest


class Test(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(sum([1, 2]), 3)
`,
);

// A script takes the place of a model, which would choose these calls itself.
const exec = (command: string, cwd: string) => ({ tool: 'exec', input: { command, cwd } });
const steps = [
  { calls: [exec('node --test | tee report.txt', '/node-app')] },
  { calls: [exec('/usr/bin/python3 -m unittest', '/python-app')] },
  { text: 'Both pass.' },
];
const { run } = await client.chats.open({ goal: JSON.stringify({ steps }), model: 'offline/script' });

for await (const event of client.runs.stream(run.id)) {
  if (event.type !== 'tool_end') continue;
  const id = `${run.id}:${event.data.call}`;
  const { command, exit_code, changes } = await client.executions.get(id);
  console.log(`${command}: exit code ${exit_code}`);
  if (changes.length === 0) continue;
  for (const { path } of changes) console.log((await client.executions.diff(id, path)).diff);
  const { items } = await client.executions.apply(
    id,
    changes.map(({ path }) => path),
  );
  for (const { path, version } of items) console.log(`applied ${path}, version ${version}`);
}
