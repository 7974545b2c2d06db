// The conformance suite of the executor protocol: executors that follow it pass, and each flaw is found by the check that is about it.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { continuo } from './support.ts';

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const FLAWED = file('fixtures/flawed-executor.mjs');

interface Report {
  readonly conforms: boolean;
  readonly results: readonly {
    readonly check: string;
    readonly result: 'ok' | 'failed' | 'skipped';
    readonly why?: string;
  }[];
}

async function checkExecutor(command: readonly string[], flaw = 'none', only: readonly string[] = []) {
  // An executor with a flaw uses up its time; one without only needs it on a busy machine.
  const patience = flaw === 'none' ? '30' : '8';
  const options = ['--json', '--patience', patience, ...(only.length > 0 ? ['--only', ...only] : [])];
  const { code, stdout, stderr } = await continuo(['conformance', ...options, '--', ...command], {
    env: { FLAW: flaw },
  });
  const report = JSON.parse(stdout || stderr) as Report;
  const failed = report.results.filter(({ result }) => result === 'failed').map(({ check }) => check);
  const whyOf = (check: string) => report.results.find((each) => each.check === check)?.why;
  return { code, report, failed, whyOf };
}

describe.concurrent('executors that follow the protocol', { timeout: 180_000 }, () => {
  const python = spawnSync('python3', ['--version']).status === 0;
  const programs: Record<string, readonly string[]> = {
    'as bare requests': [process.execPath, FLAWED],
    'of the worker library': [process.execPath, file('fixtures/library-executor.ts')],
    'of LangGraph': [process.execPath, file('../../../examples/langgraph/worker.ts')],
    ...(python && { 'in Python': ['python3', file('../../../examples/python-executor/executor.py')] }),
  };
  for (const [what, command] of Object.entries(programs))
    test(`RUN-14 an executor ${what} passes every check of the conformance suite`, async () => {
      const { code, report, failed } = await checkExecutor(command);
      expect(report.results.filter(({ result }) => result !== 'ok')).toEqual([]);
      expect(failed).toEqual([]);
      expect(report).toMatchObject({ conforms: true });
      expect(code).toBe(0);
    });
});

/** Which checks find each flaw; the ones that take longest come first, so that none of them is alone at the end. */
const FLAWS: Record<string, readonly string[]> = {
  'goes on after a refusal': ['canceled', 'claim-lost', 'canceled-meanwhile'],
  'ignores SIGTERM': ['stopped'],
  'asks without a wait': ['claim'],
  'sends no heartbeat': ['lease', 'canceled-meanwhile'],
  'sends a batch once': ['lost-response', 'busy-server', 'valid'],
  'numbers a repeated batch anew': ['lost-response', 'busy-server', 'valid'],
  'repeats a batch with other events': ['lost-response', 'valid'],
  'writes on after finish': ['valid'],
  'fails on what it does not know': ['odd-history'],
  'ends without a server': ['server-away'],
  'sends no key': ['claim', 'valid'],
  'never finishes': ['answer'],
  'sends events that do not exist': ['answer', 'valid'],
};

describe.concurrent('executors with a flaw', { timeout: 180_000 }, () => {
  for (const [flaw, checks] of Object.entries(FLAWS))
    test(`RUN-14 an executor that ${flaw} fails the conformance suite`, async () => {
      const { code, report, failed } = await checkExecutor([process.execPath, FLAWED], flaw, [
        ...new Set(['claim', 'answer', ...checks, 'valid']),
      ]);
      expect(failed).toEqual([...checks]);
      expect(report.conforms).toBe(false);
      expect(code).toBe(1);
    });
});

test.concurrent(
  'RUN-14 a failed check says in a sentence what the executor did',
  { timeout: 180_000 },
  async () => {
    const { whyOf } = await checkExecutor([process.execPath, FLAWED], 'sends no heartbeat', [
      'claim',
      'lease',
    ]);
    expect(whyOf('lease')).toBe('No heartbeat came while the response to a batch was slow.');
  },
);

test('a check that does not exist is wrong usage, and a program that does not start fails the first check', async () => {
  const unknown = await continuo(['conformance', '--only', 'speed']);
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain('They are claim, answer,');
  const { failed, report, whyOf } = await checkExecutor(['/no/such/program']);
  expect(failed).toEqual(['claim']);
  expect(whyOf('claim')).toBe('The program did not start: spawn /no/such/program ENOENT.');
  expect(report.results.filter(({ result }) => result === 'skipped').length).toBeGreaterThan(10);
});
