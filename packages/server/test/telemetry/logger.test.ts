import { expect, test } from 'vitest';
import { createLogger } from '../../src/telemetry/logger.ts';

function record(pretty = false) {
  let text = '';
  const destination = { write: (line: string) => void (text += line) };
  return { log: createLogger({ level: 'info', pretty, destination }), text: () => text };
}

test('away from a terminal a line is JSON with a level and a time', () => {
  const { log, text } = record();
  log.info({ port: 4400 }, 'ready');
  expect(JSON.parse(text())).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    port: 4400,
    msg: 'ready',
  });
});

test('at a terminal a line is for people, and written at once', () => {
  const { log, text } = record(true);
  log.warn({ port: 4400 }, 'slow');
  expect(text()).toMatch(/WARN.*slow/);
  expect(text()).not.toContain('{"level"');
});

test.each([false, true])('secrets are cut out wherever they usually are (pretty: %s)', (pretty) => {
  const { log, text } = record(pretty);
  const headers = {
    authorization: 'Bearer hunter2',
    'x-api-key': 'hunter2',
    cookie: 'a=hunter2',
    accept: '*/*',
  };
  log.info(
    { req: { headers }, headers, config: { apiKey: 'hunter2' }, apiKey: 'hunter2', password: 'hunter2' },
    'got',
  );
  log.info({ res: { headers: { 'set-cookie': 'hunter2' } } }, 'sent');
  log.child({ config: { databaseUrl: 'postgres://me:hunter2@db/continuo' } }).info('child');
  log.error(new Error('cannot connect to postgresql://me:hunter2@db:5432/continuo'), 'failed');
  log.info('and in a text: postgres://me:hunter2@pw@db/x');
  expect(text()).not.toContain('hunter2');
  expect(text()).not.toContain('pw@');
  expect(text()).toContain('postgresql://me:[redacted]@db:5432/continuo');
  expect(text()).toContain('*/*');
});

test('a URL without a password stays as it is', () => {
  const { log, text } = record();
  log.info('see http://127.0.0.1:4400/docs and postgres://me@db:5432/x, ask a@b.example');
  expect(text()).toContain('see http://127.0.0.1:4400/docs and postgres://me@db:5432/x, ask a@b.example');
});
