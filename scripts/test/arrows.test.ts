// The import direction is kept by lint rules. A rule that matches nothing looks exactly like a rule
// that is obeyed, so the rules are run on files that break them: scripts/fixtures/arrows mirrors the
// repository, and each line there that ends in `// refused` must be reported, and no other.

import { execFile } from 'node:child_process';
import { cp, glob, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
let folder: string;
let reported: Map<string, Set<string>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'continuo-arrows-'));
  await cp(join(root, 'scripts/fixtures/arrows'), folder, { recursive: true });
  await cp(join(root, 'oxlint.config.ts'), join(folder, 'oxlint.config.ts'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  reported = await lint(folder);
});
afterAll(() => rm(folder, { recursive: true }));

const refused = async (pattern: string) => {
  const lines: string[] = [];
  for await (const file of glob(pattern, { cwd: folder })) {
    const text = await readFile(join(folder, file), 'utf8');
    text
      .split('\n')
      .forEach((line, index) => line.endsWith('// refused') && lines.push(`${file}:${index + 1}`));
  }
  return lines.toSorted();
};
const reports = (prefix: string) => [...reported.keys()].filter((line) => line.startsWith(prefix)).toSorted();

const same = async (path: string) => {
  const expected = await refused(`${path}/**/*.ts`);
  expect(expected.length).toBeGreaterThan(2);
  expect(reports(`${path}/`)).toEqual(expected);
};

test.each([
  'engine/src',
  'protocol/src',
  'offline-model/src',
  'postgres/src',
  'client/src',
  'server/src',
  'cli/src',
])('packages/%s: every forbidden import is reported, and no other', (path) => same(`packages/${path}`));

test.each(['packages/testkit/src/client', 'packages/server/test/chaos'])(
  '%s cannot import the server',
  (path) => same(path),
);

test.each(['packages/console/test', 'packages/testkit/src/programs', 'bench'])(
  '%s cannot import the src or the test folder of another package',
  (path) => same(path),
);

test('the engine has no clock and no chance', () => {
  const rules = [...reported.values()].flatMap((each) => [...each]);
  expect(rules).toContain('eslint(no-restricted-globals)');
  expect(rules).toContain('eslint(no-restricted-properties)');
});

test('every folder of the server has its arrows', async () => {
  const entries = await readdir(join(root, 'packages/server/src'), { withFileTypes: true });
  const { default: config } = (await import(join(root, 'oxlint.config.ts'))) as {
    default: { overrides: { files: string[] }[] };
  };
  const ruled = config.overrides.flatMap(({ files }) => files);
  const folders = entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `packages/server/src/${name}/**`);
  expect(folders.filter((name) => !ruled.includes(name))).toEqual([]);
});

// A route gets the database with a scope.
test('no route holds a bare pool: only the scopes do', async () => {
  const http = join(root, 'packages/server/src/http');
  const holding: string[] = [];
  for await (const file of glob('**/*.ts', { cwd: http })) {
    if (/\bpool\b(?!\.ts)/.test(await readFile(join(http, file), 'utf8'))) holding.push(file);
  }
  expect(holding.toSorted()).toEqual(['app.ts', 'kernel/scope.ts']);
});

/** `file:line` and the rules that were broken there. */
async function lint(cwd: string): Promise<Map<string, Set<string>>> {
  const oxlint = join(root, 'node_modules/oxlint/bin/oxlint');
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, [oxlint, '-f', 'json', 'packages', 'bench'], { cwd }, (_error, stdout) =>
      resolve(stdout),
    );
  });
  const { diagnostics } = JSON.parse(output) as {
    diagnostics: { filename: string; code: string; labels: { span: { line: number } }[] }[];
  };
  const found = new Map<string, Set<string>>();
  for (const { filename, code, labels } of diagnostics) {
    const line = `${filename}:${labels[0]?.span.line}`;
    found.set(line, (found.get(line) ?? new Set()).add(code));
  }
  return found;
}
