// The manual against the server: routes, settings and limits that the pages in docs/ name are those that there are.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ask } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';

const world = usePod();
const root = join(import.meta.dirname, '../../../..');
const page = (name: string) => readFileSync(join(root, 'docs', name), 'utf8');
const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md') && name !== 'spec.md');
const source = (path: string) => readFileSync(join(root, 'packages/server/src', path), 'utf8');
/** The TypeScript files of a folder of the server, and of the folders in it. */
const sourcesIn = (folder: string) =>
  readdirSync(join(root, 'packages/server/src', folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => source(join(folder, path)));

test('every route that the manual names is in the document of the API', async () => {
  const { body } = await ask('GET', `${world.url}/openapi.json`);
  // A tool result's id is a run's and a call's.
  const plain = (path: string) => path.replaceAll(/\{[^}]*\}/g, '{}').replace('{}:{}', '{}');
  const routes = new Set(
    Object.entries<object>(body.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${plain(path)}`),
    ),
  );
  const named = pages.flatMap((name) =>
    [
      ...page(name).matchAll(
        /`((?:(?:GET|POST|PUT|PATCH|DELETE)(?:, |`, `)?)+) (\/api\/(?:\{[^}`]*\}|[^`?\s{])*)[^`]*`/g,
      ),
    ].flatMap(([, methods, path]) =>
      methods!.match(/[A-Z]+/g)!.map((method) => ({ name, route: `${method} ${plain(path!)}` })),
    ),
  );
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter(({ route }) => !routes.has(route))).toEqual([]);
});

test('the table of settings has every setting, by both of its names, and no other', () => {
  const settings = [...source('config/config.ts').matchAll(/^ {2}(\w+): setting\(\s*'(\w+)'/gm)].map(
    ([, key, variable]) => `${variable} ${key}`,
  );
  const told = [...page('operation.md').matchAll(/^\| `([A-Z_]+)` \(`(\w+)`\) \|/gm)].map(
    ([, variable, key]) => `${variable} ${key}`,
  );
  expect(settings.length).toBeGreaterThan(15);
  expect(told.toSorted()).toEqual(settings.toSorted());
});

test('the table of tools has every built-in tool, with its effect', () => {
  const tools = sourcesIn('').flatMap((text) =>
    [...text.matchAll(/^ {4}name: '(\w+)',[^]*?^ {4}effect: '(\w+)'/gm)].map(
      ([, name, effect]) => `${name} ${effect}`,
    ),
  );
  const told = [...page('tools.md').matchAll(/^\| `(\w+)` \| (\w+) \|/gm)].map(
    ([, name, effect]) => `${name} ${effect}`,
  );
  expect(tools.length).toBeGreaterThan(12);
  expect(told.toSorted()).toEqual(tools.toSorted());
});

test('the table of providers has the default models that are used', () => {
  const told = [...page('models.md').matchAll(/^\| `(\w+)\/…` \|.*\| `([\w.-]+)` \|$/gm)].map(
    ([, provider, model]) => [provider, model],
  );
  expect(told.length).toBeGreaterThanOrEqual(4);
  const catalog = source('models/ai-sdk/providers.ts') + source('models/catalog.ts');
  expect(told.filter(([, model]) => !new RegExp(`['/]${model}'`).test(catalog))).toEqual([]);
});

test('the API’s page names every type of event that a log can have', () => {
  const events = readFileSync(join(root, 'packages/protocol/src/events.ts'), 'utf8');
  const data = /^export interface EventData \{\n(.*?)^\}/ms.exec(events)![1]!;
  const types = [...data.matchAll(/^ {2}(\w+):/gm)].map(([, type]) => type!);
  expect(types).toContain('tool_start');
  const told = page('api.md');
  expect(types.filter((type) => !told.includes(`\`${type}\``))).toEqual([]);
});

test('the API’s page lists every code of a problem, with its status', () => {
  const list = /^## Codes\n\n(.*?)\n\n/ms.exec(page('api.md'))![1]!;
  const told = new Set(
    list.split('·').flatMap((group) => {
      const status = /\((\d{3})\)\s*$/.exec(group)![1]!;
      return [...group.matchAll(/`(\w+)`/g)].map(([, code]) => `${status} ${code}`);
    }),
  );
  const used = sourcesIn('http').flatMap((text) =>
    [...text.matchAll(/status: (\d{3}),\s*code: '(\w+)'/g)].map(([, status, code]) => `${status} ${code}`),
  );
  expect(used.length).toBeGreaterThan(30);
  // Nobody is there to read the one that says that the client went away.
  const missing = used.filter((each) => !told.has(each) && each !== '408 client_gone');
  expect(missing).toEqual([]);
});

test('the tables of kinds and relations have those that there are', async () => {
  const { body } = await ask('GET', `${world.url}/api/v1/workspaces/default/kinds`);
  const words = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map(([, word]) => word!);
  const rows = page('knowledge.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').slice(1, -1));
  const kinds = rows.filter(([first, , states]) => states !== undefined && words(first!).length === 1);
  const told = new Map(kinds.map(([first, fields, states]) => [words(first!)[0], { fields, states }]));
  for (const { kind, fields, states } of body.items) {
    expect({ kind, fields: words(told.get(kind)!.fields!).toSorted() }).toEqual({
      kind,
      fields: Object.keys(fields.properties).toSorted(),
    });
    const [first, ...others] = words(told.get(kind)!.states!);
    expect({ kind, first, others: others.toSorted() }).toEqual({
      kind,
      first: states?.initial,
      others: Object.keys(states?.transitions ?? {})
        .filter((state) => state !== states.initial)
        .toSorted(),
    });
  }
  for (const { rel, from, to, acyclic } of body.relations) {
    const row = rows.find(([first]) => words(first!)[0] === rel)!;
    expect({ rel, acyclic: row[3]!.includes('no circles') }).toEqual({ rel, acyclic });
    expect({
      rel,
      from: row[1]!
        .split(',')
        .map((each) => each.trim())
        .toSorted(),
    }).toEqual({ rel, from: from?.toSorted() ?? ['any'] });
    const same = row[2]!.includes('the same') ? row[1]!.split(',') : [];
    const ends = [...same, ...row[2]!.replace('the same, and ', '').split(',')].map((each) => each.trim());
    expect({ rel, to: ends.toSorted() }).toEqual({ rel, to: to?.toSorted() ?? ['any'] });
  }
});
