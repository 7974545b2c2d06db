import { EventEmitter } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { until } from '@continuo/testkit';
import { temporaryFolder } from '@continuo/testkit/fixtures';

test('until returns the first answer that is neither null, undefined nor false', async () => {
  const answers = [null, undefined, false, 0];
  expect(await until('there is an answer', () => answers.shift())).toBe(0);
  expect(answers).toEqual([]);
});

test('until fails with the message and the last answer when the limit is over', async () => {
  const never = until('pigs fly', () => null, { within: 20, every: 1 });
  await expect(never).rejects.toThrow(
    'timed out after 0.02 s waiting until pigs fly; the last answer was null',
  );
});

test('a check that throws is tried again, and its last error is in the message', async () => {
  let tries = 0;
  const second = () => {
    tries += 1;
    if (tries === 1) throw new Error('not yet');
    return 'there';
  };
  expect(await until('it is there', second)).toBe('there');
  const error = new Error('the server is away');
  const never = until('it is back', () => Promise.reject(error), { within: 20, every: 1 });
  await expect(never).rejects.toMatchObject({
    message: expect.stringContaining('until it is back; the last check failed: Error: the server is away'),
    cause: error,
  });
});

test('a check that never ends is over with the limit', async () => {
  const hanging = until('it answers', () => new Promise(() => undefined), { within: 20 });
  await expect(hanging).rejects.toThrow('until it answers; the first check has not ended');
});

test('with an event to wait for, the condition is checked at the event and not by the clock', async () => {
  const emitter = new EventEmitter();
  let checks = 0;
  let ready = false;
  const waiting = until('it is ready', () => ((checks += 1), ready), {
    every: 0,
    wake: (check) => {
      emitter.on('change', check);
      return () => void emitter.off('change', check);
    },
  });
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(checks).toBe(1);
  ready = true;
  emitter.emit('change');
  expect(await waiting).toBe(true);
  expect([checks, emitter.listenerCount('change')]).toEqual([2, 0]);
});

test('an event that comes during a check is not lost', async () => {
  const emitter = new EventEmitter();
  let ready = false;
  const check = async () => {
    const seen = ready;
    ready = true;
    emitter.emit('change');
    await Promise.resolve();
    return seen;
  };
  const wake = (again: () => void) => {
    emitter.on('change', again);
    return () => void emitter.off('change', again);
  };
  expect(await until('it is ready', check, { wake })).toBe(true);
});

let folder = '';
afterAll(() => expect(existsSync(folder)).toBe(false));

test('a temporary folder is removed, with what is in it, when its test is finished', () => {
  folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), 'content');
  expect(existsSync(folder)).toBe(true);
});
