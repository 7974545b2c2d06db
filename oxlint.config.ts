// The lint rules, and with them the direction of imports: who may import whom is the table `arrows`.
// packages/server/test/arrows.test.ts runs these rules on files that break them.

import type { OxlintConfig } from 'oxlint';
import { defineConfig } from 'oxlint';

type Override = NonNullable<OxlintConfig['overrides']>[number];
interface Pattern {
  group?: string[];
  regex?: string;
  message: string;
  allowTypeImports?: boolean;
}

interface Arrow {
  imports: string[];
  types?: string[];
}

/** What each folder of the server may import of the others; `types` may be imported as types only. */
const arrows: Record<string, Arrow> = {
  db: { imports: [] },
  compute: { imports: [] },
  backup: { imports: ['db'] },
  log: { imports: ['db'] },
  models: { imports: [] },
  workspace: { imports: ['db', 'compute'] },
  tools: { imports: ['compute', 'workspace'], types: ['db', 'log', 'models'] },
  agents: { imports: ['compute', 'models', 'tools', 'workspace'], types: ['db'] },
  mcp: { imports: ['db', 'tools'] },
  actors: { imports: ['db', 'log'] },
  runs: { imports: ['db', 'log', 'actors', 'models', 'tools', 'agents', 'workspace'] },
  http: {
    imports: ['compute', 'db', 'log', 'actors', 'models', 'tools', 'agents', 'workspace', 'mcp', 'runs'],
  },
};

// A word behind the name is an entry that the package lists itself; a path is not.
const inside: Pattern = {
  regex: String.raw`^@continuo/[^/]+/.*[/.]`,
  message: 'Import a package by its name; its inside is its own business.',
};
// A path such as ../db/../http/x.ts would walk around every rule below.
const detour: Pattern = { regex: String.raw`[^./]/\.\./`, message: 'Write the path without a detour.' };
const itself: Pattern = {
  group: ['@continuo/server'],
  message: 'Inside the server, import the file itself.',
};
const roots = ['index', 'server', 'upkeep'].map((name) => `packages/server/src/${name}.ts`);
const wiring: Pattern = {
  regex: String.raw`^(\.\./)+(index|server|upkeep)\.ts$`,
  message: 'index.ts, server.ts and upkeep.ts wire everything: they import, nobody imports them.',
};

// Only patterns that refuse: oxlint lets an exception ("!…") in one pattern silence all others, and a
// regular expression with a lookahead matches nothing, both without a word.
function restrict(files: string[], patterns: Pattern[], excludeFiles: string[] = []): Override {
  return { files, excludeFiles, rules: { 'no-restricted-imports': ['error', { patterns }] } };
}

function folder([name, { imports, types = [] }]: [string, Arrow]): Override {
  const refused = Object.keys(arrows).filter((other) => ![name, ...imports, ...types].includes(other));
  const into = (folders: string[]) => String.raw`(^|/)\.\./(${folders.join('|')})/`;
  const message = `${name}/ may import of the other folders: ${
    [...imports, ...types.map((type) => `${type} (types)`)].join(', ') || 'none'
  }.`;
  const patterns: Pattern[] = [inside, detour, itself, wiring];
  if (refused.length > 0) patterns.push({ regex: into(refused), message });
  if (types.length > 0) patterns.push({ regex: into(types), message, allowTypeImports: true });
  return restrict([`packages/server/src/${name}/**`], patterns);
}

const cli = 'The command imports the server and the client, by their names.';
const client = "The client imports the protocol's types and what is made for browsers; nothing of Node.";
const browser = 'The console runs in a browser, and knows the server by its client only.';
const engine = 'The engine imports nothing but itself.';
const protocol = "The protocol imports zod and the engine's types only.";

export default defineConfig({
  plugins: ['eslint', 'typescript', 'unicorn', 'oxc', 'import', 'promise'],
  categories: { correctness: 'error' },
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: 'error' },
  ignorePatterns: ['node_modules/', 'scripts/fixtures/', 'packages/client/src/generated/'],
  rules: {
    eqeqeq: ['error', 'always', { null: 'ignore' }],
    'no-var': 'error',
    'prefer-const': 'error',
    'no-restricted-imports': ['error', { patterns: [inside] }],
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
      files: ['packages/engine/src/**', 'packages/protocol/src/**'],
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
        detour,
      ],
    ),
    restrict(
      ['packages/protocol/src/**'],
      [
        { group: ['@continuo/engine'], allowTypeImports: true, message: protocol },
        { regex: '^([a-y]|z[^o]|@[^ch]|@hono/[^z]|@continuo/[^e])', message: protocol },
        { group: ['**/src/**', '**/test/**', '**/packages/**'], message: protocol },
        inside,
        detour,
      ],
    ),
    restrict(
      ['packages/client/src/**'],
      [
        { regex: '^node:|^@continuo/(engine|server)', message: client },
        { group: ['**/src/**', '**/test/**', '**/packages/**'], message: client },
        inside,
        detour,
      ],
    ),
    restrict(
      ['packages/console/src/**'],
      [{ regex: '^node:|^@continuo/(engine|server)', message: browser }, inside, detour],
    ),
    restrict(
      ['packages/cli/src/**'],
      [
        { regex: '^@continuo/(engine|protocol|console)', message: cli },
        { group: ['**/packages/**', '**/test/**'], message: cli },
        inside,
        detour,
      ],
    ),
    { files: ['packages/server/src/**', 'packages/cli/src/**'], rules: { 'no-console': 'error' } },
    restrict(
      ['packages/server/src/*.ts'],
      [
        { group: ['./*/**'], message: 'A file beside server.ts serves every folder and imports none.' },
        { group: ['./server.ts'], message: wiring.message },
        inside,
        itself,
        wiring,
      ],
      roots,
    ),
    ...Object.entries(arrows).map(folder),
    restrict(
      ['packages/server/test/client/**', 'packages/server/test/chaos/**'],
      [
        {
          group: ['**/src/**', '@continuo/server'],
          message: 'The test client knows the server by its wire only.',
        },
        inside,
        detour,
      ],
    ),
  ],
});
