// Command lines that people paste.

import { expect, test } from 'vitest';
import { splitCommand } from '../src/settings/command-line.ts';

test.each([
  ['npx -y @scope/server /data', { env: {}, command: 'npx', args: ['-y', '@scope/server', '/data'] }],
  [
    `A=1 B='two words' run "say \\"hi\\"" x\\ y`,
    { env: { A: '1', B: 'two words' }, command: 'run', args: ['say "hi"', 'x y'] },
  ],
  [`run --name=it's"one"'word' ''`, null],
  [`run --name="one"'word' ''`, { env: {}, command: 'run', args: ['--name=oneword', ''] }],
  ['docker run \\\n  -i image\n', { env: {}, command: 'docker', args: ['run', '-i', 'image'] }],
  ['run C:\\x $HOME', { env: {}, command: 'run', args: ['C:x', '$HOME'] }],
  ['run "open', null],
  ['ONLY=env', null],
  ['', null],
])('PLUS-5 a command line is split as a shell does: %j', (line, parts) => {
  expect(splitCommand(line)).toEqual(parts);
});
