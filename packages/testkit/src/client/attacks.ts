// Requests and model answers that are made to keep a server busy. Each attack is legal on the wire and takes few bytes; the
// server must go on serving everybody else. A test checks how each one ends, the benchmark what it does to /healthz.

import { call, follow, type Frame } from './api.ts';

export interface Attack {
  readonly name: string;
  /** What is there before the attack begins. */
  prepare(base: string): Promise<Target>;
  /** Resolves when the server has answered all of it. */
  attack(target: Target): Promise<Outcome>;
}

interface Target {
  readonly base: string;
  readonly workspace: string;
}

/** How the runs and the calls of an attack ended, or the statuses of its requests. */
export interface Outcome {
  readonly statuses: readonly (string | number)[];
  readonly results: readonly ToolEnd[];
}

interface ToolEnd {
  readonly call: string;
  readonly success: boolean;
  readonly output: { readonly text?: string; readonly error?: string };
}

interface Call {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const numbered = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => `${line(index)}\n`).join('');

/** 40 kB of lines that are all in the other text, too, in another order. */
const SHUFFLED = {
  one: numbered(6500, (index) => `${index}`),
  other: numbered(6500, (index) => `${(index * 3571) % 6500}`),
};

const KEYS = numbered(8000, (index) => `k${index}: 1`);

export const attacks: readonly Attack[] = [
  onFiles(
    'a patch with 1,999 lines of context on a file of 98,999 lines that are all the same',
    [['/same.txt', 'same\n'.repeat(98_999)]],
    [
      {
        tool: 'patch',
        input: {
          patch: `--- a/same.txt\n+++ b/same.txt\n@@ -1,2000 +1,1999 @@\n${' same\n'.repeat(1999)}-samX\n`,
        },
      },
    ],
  ),
  onFiles(
    '100 diff calls on two texts of 40 kB',
    [
      ['/text.txt', SHUFFLED.one],
      ['/text.txt', SHUFFLED.other],
    ],
    Array.from({ length: 100 }, () => ({ tool: 'diff', input: { path: '/text.txt' } })),
  ),
  onFiles(
    'an edit whose old text is made of the parts of a text of 2 MB',
    [['/long.txt', 'a'.repeat(2_000_000)]],
    [
      {
        tool: 'edit',
        input: {
          path: '/long.txt',
          edits: [{ old_text: `${'a'.repeat(50_000)}b${'a'.repeat(50_000)}`, new_text: '' }],
        },
      },
    ],
  ),
  onFiles('10,000 calls in a message', [], many(10_000, { tool: 'ls', input: {} })),
  onFiles(
    '300 grep calls in a message',
    [['/grep.txt', numbered(20_000, (index) => `line ${index}`)]],
    many(300, { tool: 'grep', input: { pattern: '(l|i|n|e)+ 1.*9$' } }),
  ),
  {
    name: '20 requests at once for the difference of two texts of 40 kB',
    prepare: (base) =>
      prepared(base, [
        ['/text.txt', SHUFFLED.one],
        ['/text.txt', SHUFFLED.other],
      ]),
    attack: ({ base, workspace }) => atOnce(20, `${base}/api/v1/workspaces/${workspace}/diff?path=/text.txt`),
  },
  {
    name: '20 requests at once to check a piece whose front matter has 8,000 keys',
    prepare: (base) => prepared(base, [['/content/articles/keys.md', `---\n${KEYS}---\nText.\n`]]),
    attack: ({ base, workspace }) =>
      atOnce(20, `${base}/api/v1/workspaces/${workspace}/content/articles/keys/check`),
  },
  {
    name: 'arguments nested 60 deep 100 times in a message, and 5,000 deep once',
    prepare: (base) => prepared(base, []),
    attack: ({ base, workspace }) => {
      const nested = (depth: number) => `{"path":${'['.repeat(depth)}${']'.repeat(depth)}}`;
      const raw = [...Array.from({ length: 100 }, () => nested(60)), nested(5000)];
      return outcomeOf(base, workspace, { calls: raw.map((text) => ({ tool: 'ls', raw: text })) });
    },
  },
];

async function atOnce(count: number, url: string): Promise<Outcome> {
  const one = async () => {
    const answer = await fetch(url);
    await answer.arrayBuffer();
    return answer.status;
  };
  return { statuses: await Promise.all(Array.from({ length: count }, one)), results: [] };
}

function many(count: number, one: Call): readonly Call[] {
  return Array.from({ length: count }, () => one);
}

/** One message of a model makes all the calls. */
function onFiles(
  name: string,
  files: readonly (readonly [path: string, content: string])[],
  calls: readonly Call[],
): Attack {
  return {
    name,
    prepare: (base) => prepared(base, files),
    attack: ({ base, workspace }) => outcomeOf(base, workspace, { calls }),
  };
}

let workspaces = 0;

/** A workspace of its own, with these versions of files. */
async function prepared(base: string, files: readonly (readonly [string, string])[]): Promise<Target> {
  workspaces += 1;
  const name = `attack-${process.pid}-${workspaces}`;
  await call('POST', `${base}/api/v1/workspaces`, { name });
  for (const [path, content] of files) {
    const url = `${base}/api/v1/workspaces/${name}/files${path}`;
    const answer = await fetch(url, { method: 'PUT', body: content });
    if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  }
  return { base, workspace: name };
}

async function outcomeOf(
  base: string,
  workspace: string,
  step: Readonly<Record<string, unknown>>,
): Promise<Outcome> {
  const goal = JSON.stringify({ steps: [step, { text: 'done' }] });
  const url = `${base}/api/v1/workspaces/${workspace}/chats`;
  const { run } = await call<{ run: { id: string } }>('POST', url, { model: 'offline/script', goal });
  const frames: Frame[] = [];
  for await (const frame of follow(base, run.id)) frames.push(frame);
  const results = frames.flatMap(({ event, data }) =>
    event === 'tool_end' ? [data as unknown as ToolEnd] : [],
  );
  return { statuses: [String(frames.at(-1)?.data.status)], results };
}
