// The lint rules, and with them the direction of imports: the table `layers` says which folder may import which.
// scripts/test/arrows.test.ts runs these rules on files that break them.

import type { OxlintConfig } from 'oxlint';
import { defineConfig } from 'oxlint';

type Override = NonNullable<OxlintConfig['overrides']>[number];
interface Pattern {
  group?: string[];
  regex?: string;
  message: string;
  allowTypeImports?: boolean;
}

/** The folders of the server, in layers. A folder imports folders of the layers before its own, and no other. */
const layers: readonly (readonly string[])[] = [
  ['names', 'hosts', 'limits'],
  ['config', 'db', 'compute'],
  ['bus', 'telemetry'],
  ['log', 'identity'],
  ['workspaces', 'outgoing', 'models'],
  ['tools'],
  ['files'],
  ['knowledge', 'calendar', 'web', 'sandbox'],
  ['mcp', 'agents', 'threads'],
  ['context', 'actors', 'executors'],
  ['runs'],
  ['planning', 'automation', 'content', 'upkeep'],
  ['http'],
  ['replay'],
  ['wiring'],
];

// A word behind the name is an entry that the package lists itself; a path is not.
const inside: Pattern = {
  regex: String.raw`^@continuo/[^/]+/.*[/.]`,
  message: 'Import a package by its name; its inside is its own business.',
};
// A path such as ../db/../http/x.ts would walk around every rule below.
const detour: Pattern = { regex: String.raw`[^./]/\.\./`, message: 'Write the path without a detour.' };
// Packages know each other by the entries that they list, their tests included. What tests share is in packages/testkit.
const otherPackage: Pattern = {
  regex: String.raw`^\.\.?/(.*/)?[^./]+/(src|test)/`,
  message: 'Import another package by its name, never by a path; what tests share is in packages/testkit.',
};
const itself: Pattern = {
  regex: '^@continuo/(server|testkit)',
  message: 'Inside the server, import the file itself; the test kit is for tests.',
};
const byWire: Pattern = {
  regex: '^@continuo/server',
  message:
    'The test kit and the chaos tests know the server by its wire only; its programs and its setup start it.',
};
const roots = ['index', 'internals', 'server'].map((name) => `packages/server/src/${name}.ts`);
const root: Pattern = {
  regex: String.raw`^(\.\./)+(index|internals|server)\.ts$`,
  message: 'index.ts, internals.ts and server.ts import every folder, and no folder imports them.',
};

// Only patterns that refuse: oxlint lets an exception ("!…") in one pattern silence all others, and a
// regular expression with a lookahead matches nothing, both without a word.
function restrict(files: string[], patterns: Pattern[], excludeFiles: string[] = []): Override {
  const all = [...patterns, inside, detour, otherPackage];
  return { files, excludeFiles, rules: { 'no-restricted-imports': ['error', { patterns: all }] } };
}

function folder(name: string, layer: number): Override {
  return restrict([`packages/server/src/${name}/**`], patternsFor(name, layer));
}

function patternsFor(name: string, layer: number): Pattern[] {
  const allowed = layers.slice(0, layer).flat();
  const refused = layers.flat().filter((other) => other !== name && !allowed.includes(other));
  const message = `${name}/ may import of the other folders: ${allowed.join(', ') || 'none'}.`;
  const patterns: Pattern[] = [itself, root];
  if (refused.length > 0) {
    patterns.push({ regex: String.raw`(^|/)\.\./(${refused.join('|')})/`, message });
  }
  return patterns;
}

/** The folders inside http/, in order. Each imports those before it. */
const httpFolders = ['kernel', 'streams', 'messages', 'routes', 'dialects'];

function httpFolder(name: string, place: number): Override {
  const layer = layers.findIndex((names) => names.includes('http'));
  const patterns = patternsFor('http', layer);
  const refused = httpFolders.slice(place + 1);
  const allowed = httpFolders.slice(0, place).join(', ') || 'none';
  if (refused.length > 0) {
    const message = `http/${name}/ may import of the folders beside it: ${allowed}.`;
    patterns.push({ regex: String.raw`^\.\./(${refused.join('|')})/`, message });
  }
  return restrict([`packages/server/src/http/${name}/**`], patterns);
}

const cli = 'The command imports the server and the client, by their names.';
const judge = 'The conformance suite speaks the protocol, and knows neither server nor client.';
const client = "The client imports the protocol's types and what is made for browsers; nothing of Node.";
const browser = 'The console runs in a browser, and knows the server by its client only.';
const engine = 'The engine imports nothing but itself.';
const protocol = "The protocol imports zod and the engine's types only.";
const offline = 'The offline model imports zod and the engine, and nothing of Node.';
const postgres = 'The embedded Postgres imports pg and Node, and no other package of ours.';

export default defineConfig({
  plugins: ['eslint', 'typescript', 'unicorn', 'oxc', 'import', 'promise'],
  categories: { correctness: 'error' },
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: 'error' },
  ignorePatterns: ['node_modules/', 'scripts/fixtures/', 'packages/client/src/generated/'],
  rules: {
    eqeqeq: ['error', 'always', { null: 'ignore' }],
    'no-var': 'error',
    'prefer-const': 'error',
    'no-restricted-imports': ['error', { patterns: [inside, detour, otherPackage] }],
    'no-unused-vars': [
      'error',
      { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrorsIgnorePattern: '^_' },
    ],
    'import/no-cycle': 'error',
    'typescript/await-thenable': 'error',
    'typescript/consistent-type-imports': ['error', { disallowTypeAnnotations: true }],
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/no-unnecessary-type-assertion': 'error',
    'typescript/only-throw-error': 'error',
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
  },
  overrides: [
    {
      files: ['packages/engine/src/**', 'packages/protocol/src/**', 'packages/offline-model/src/**'],
      rules: {
        'no-console': 'error',
        'no-restricted-globals': [
          'error',
          { name: 'Date', message: 'No clock here: take the time as an argument.' },
        ],
        'no-restricted-properties': [
          'error',
          { object: 'Math', property: 'random', message: 'No chance here: take it as an argument.' },
        ],
      },
    },
    restrict(
      ['packages/engine/src/**'],
      [
        { regex: '^[^.]', message: engine },
        { group: ['**/src/**', '**/test/**', '**/packages/**'], message: engine },
      ],
    ),
    restrict(
      ['packages/protocol/src/**'],
      [
        { group: ['@continuo/engine'], allowTypeImports: true, message: protocol },
        { regex: '^([a-y]|z[^o]|@[^ch]|@hono/[^z]|@continuo/[^e])', message: protocol },
        { group: ['**/src/**', '**/test/**', '**/packages/**'], message: protocol },
      ],
    ),
    restrict(
      ['packages/offline-model/src/**'],
      [
        { regex: '^([a-y]|z[^o]|@[^c]|@continuo/[^e])', message: offline },
        { group: ['**/src/**', '**/test/**', '**/packages/**'], message: offline },
      ],
    ),
    restrict(
      ['packages/postgres/src/**'],
      [
        { regex: '^([a-moq-z]|n[^o]|p[^g]|@)', message: postgres },
        { group: ['**/src/**', '**/test/**', '**/packages/**'], message: postgres },
      ],
    ),
    restrict(
      ['packages/client/src/**'],
      [
        { regex: '^node:|^@continuo/(engine|server|postgres|offline-model|testkit)', message: client },
        { group: ['**/src/**', '**/test/**', '**/packages/**'], message: client },
      ],
    ),
    restrict(
      ['packages/console/src/**'],
      [{ regex: '^node:|^@continuo/(engine|server|postgres|offline-model|testkit)', message: browser }],
    ),
    restrict(
      ['packages/cli/src/**'],
      [
        {
          regex: '^@continuo/(engine|protocol|console|postgres|offline-model|testkit|server/internals)',
          message: cli,
        },
        { group: ['**/packages/**', '**/test/**'], message: cli },
      ],
    ),
    restrict(
      ['packages/cli/src/conformance/**'],
      [{ regex: '^@continuo/(engine|client|server|console|postgres|offline-model|testkit)', message: judge }],
    ),
    {
      files: ['packages/server/src/**', 'packages/cli/src/**', 'packages/postgres/src/**'],
      rules: { 'no-console': 'error' },
    },
    restrict(
      ['packages/server/src/*.ts'],
      [
        { group: ['./*/**'], message: 'A file beside server.ts serves every folder and imports none.' },
        { group: ['./internals.ts', './server.ts'], message: root.message },
        itself,
        root,
      ],
      roots,
    ),
    ...layers.flatMap((names, layer) => names.map((name) => folder(name, layer))),
    ...httpFolders.map(httpFolder),
    restrict(
      ['packages/testkit/src/**'],
      [byWire],
      ['packages/testkit/src/programs/**', 'packages/testkit/src/setup.ts'],
    ),
    restrict(['packages/server/test/chaos/**'], [byWire, { group: ['**/src/**'], message: byWire.message }]),
  ],
});
