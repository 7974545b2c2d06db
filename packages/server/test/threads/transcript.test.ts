// A thread's log as a text: what each event adds to it.

import { expect, test } from 'vitest';
import type { LogEvent } from '@continuo/protocol';
import { transcript } from '../../src/threads/chats/transcript.ts';

function log(...events: readonly { type: string; data: unknown }[]): LogEvent[] {
  return events.map((event, index) => ({
    ...event,
    threadId: 't',
    seq: index + 1,
    runId: 'r1',
    runSeq: index + 1,
    attempt: 1,
    at: new Date(Date.UTC(2026, 0, 2, 3, 4, index)),
  })) as LogEvent[];
}

test('WS-19 a transcript says who spoke, what was called, which files changed and how the run ended', () => {
  const text = transcript(
    log(
      { type: 'state', data: { status: 'running', attempt: 1 } },
      { type: 'message', data: { id: 'x', role: 'user', content: 'Write a haiku.' } },
      { type: 'message_start', data: { message: 'm1', model: 'a/b' } },
      { type: 'token', data: { message: 'm1', text: 'Su' } },
      { type: 'state', data: { status: 'running', attempt: 2, supersedes: 'm1' } },
      {
        type: 'message_end',
        data: { message: 'm2', text: 'Sure.', parts: [], ended: 'complete', model: 'a/b' },
      },
      { type: 'tool_start', data: { tool: 'write', call: 'c1', input: { path: 'haiku.md' } } },
      { type: 'tool_end', data: { tool: 'write', call: 'c1', output: '1\n2\n3\n4\n5\n6', success: true } },
      { type: 'file_updated', data: { path: '/haiku.md', v: 3 } },
      {
        type: 'tool_end',
        data: { tool: 'mail', call: 'c2', output: null, success: false, outcome: 'unknown' },
      },
      { type: 'final', data: { text: 'Sure.', sources: [], message: 'm2' } },
      { type: 'state', data: { status: 'done' } },
    ),
  );
  expect(text).toBe(`## Person · 2026-01-02 03:04:01 UTC

Write a haiku.

*Message m1 was cut off, and starts again*

## Agent (a/b) · 2026-01-02 03:04:05 UTC

Sure.

- called **write** · 2026-01-02 03:04:06 UTC
  > {"path":"haiku.md"}

- **write** ended: ok · 2026-01-02 03:04:07 UTC
  > 1
  > 2
  > 3
  > 4
  > 5
  > … (11 characters)

- file **/haiku.md** is now version 3

- **mail** ended: unknown · 2026-01-02 03:04:09 UTC
  > null

*Run r1 · done · 2026-01-02 03:04:11 UTC*

---
`);
});

test('WS-19 a transcript tells of failure and cancellation, and of nothing', () => {
  const text = transcript(
    log(
      { type: 'message_end', data: { message: 'm1', text: 'Hal', parts: [], ended: 'interrupted' } },
      { type: 'error', data: { error: 'no key', code: 'unauthorized' } },
      { type: 'canceled', data: { reason: 'user_cancelled' } },
      {
        type: 'approval',
        data: { approval: 'a', call: 'c', tool: 'remove', input: {}, paths: [], reason: 'it removes' },
      },
    ),
  );
  expect(text).toContain('- **remove** waits for a person: it removes');
  expect(text).toContain('Hal\n\n*(interrupted here)*');
  expect(text).toContain('*The run failed: no key (unauthorized)*');
  expect(text).toContain('*The run was canceled: user_cancelled*');
  expect(transcript([])).toBe('Nothing has been said yet.\n');
  const long = transcript(
    log({ type: 'tool_end', data: { tool: 't', call: 'c', output: 'x'.repeat(10_000), success: true } }),
  );
  expect(long.length).toBeLessThan(700);
});
