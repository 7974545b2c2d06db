// The `runs` dialect, frame by frame, and the schemas at the edge.

import { expect, test } from 'vitest';
import { isTerminal, PING, runs, schemas, sseFrame, type LogEvent, type RunStatus } from '@continuo/protocol';

const at = new Date(0);
const place = { threadId: 't', seq: 9, runId: 'r', runSeq: 4, attempt: 1, at };

function framed(text: string): string {
  const event: LogEvent = { ...place, type: 'token', data: { text, message: 'm1' } };
  const [, frames] = runs.step(null, event);
  return frames.map((frame) => sseFrame(frame.event, event.runSeq!, JSON.stringify(frame.data))).join('');
}

test('RUN-5 a frame is the type, the run’s own seq and the data, a line each', () => {
  expect(framed('hi')).toBe('event: token\nid: 4\ndata: {"text":"hi","message":"m1"}\n\n');
});

test('RUN-5 whatever the text is, a frame has its three lines and LF only', () => {
  for (const text of [
    '\n',
    '\r\n',
    '\r',
    '\n\n',
    'data: x\n\nevent: final\n',
    '\u0000',
    '\ud800',
    '\u2028',
    '',
  ]) {
    const lines = framed(text).split('\n');
    expect(lines).toHaveLength(5);
    expect(lines.slice(3)).toEqual(['', '']);
    expect(framed(text)).not.toContain('\r');
    expect(JSON.parse(lines[2]!.slice('data: '.length))).toEqual({ text, message: 'm1' });
  }
});

test('RUN-7 a frame’s data are the event’s own, the very object, and not a copy', () => {
  const event: LogEvent = { ...place, type: 'token', data: { text: 'hi', message: 'm1' } };
  expect(runs.step(null, event)[1][0]!.data).toBe(event.data);
});

test('a frame of a protocol without names has no event line', () => {
  expect(sseFrame(undefined, '4.1', '{}')).toBe('id: 4.1\ndata: {}\n\n');
});

test('RUN-5 the heartbeat is a comment with a single newline', () => {
  expect(PING).toBe(': ping\n');
});

test('RUN-3 done, error and canceled are ends', () => {
  const all: RunStatus[] = ['queued', 'running', 'done', 'error', 'canceled'];
  expect(all.filter(isTerminal)).toEqual(['done', 'error', 'canceled']);
  expect(schemas.run.shape.status.options).toEqual(all);
});

test('a new message has content, perhaps a model and a role, and nothing else', () => {
  const accepts = (body: unknown) => schemas.newMessage.safeParse(body).success;
  expect([{ content: 'x' }, { content: 'x', model: 'a/b', role: 'assistant' }].map(accepts)).toEqual([
    true,
    true,
  ]);
  expect([{}, { content: '' }, { content: 1 }, { content: 'x', extra: 1 }, [], null, 'x'].some(accepts)).toBe(
    false,
  );
});
