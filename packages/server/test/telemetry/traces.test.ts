// Traces: a collector, which reads OTLP over HTTP in JSON strictly, gets one trace for a run, its children and its executors, from
// however many pods.

import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { ask, call, createThread, framesOf, seen, send, until } from '@continuo/testkit';
import { freshDatabase, startPod, type TestDatabase, type TestPod } from '@continuo/testkit/fixtures';
import { claim, finish, post, start, text } from '../executors/support.ts';

const WORKSPACE = '00000000-0000-7000-8000-000000000001';

const value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  z.strictObject({ doubleValue: z.number() }),
  z.strictObject({
    arrayValue: z.strictObject({ values: z.array(z.strictObject({ stringValue: z.string() })) }),
  }),
]);
const attributes = z.array(z.strictObject({ key: z.string().min(1), value }));
const nanoseconds = z.string().regex(/^\d{19}$/);
const span = z.strictObject({
  traceId: z.string().regex(/^[\da-f]{32}$/),
  spanId: z.string().regex(/^[\da-f]{16}$/),
  parentSpanId: z
    .string()
    .regex(/^[\da-f]{16}$/)
    .optional(),
  name: z.string().min(1),
  kind: z.int().min(1).max(5),
  startTimeUnixNano: nanoseconds,
  endTimeUnixNano: nanoseconds,
  attributes,
  status: z.strictObject({ code: z.int().min(0).max(2), message: z.string() }).optional(),
});
/** ExportTraceServiceRequest, as far as the server uses it. */
const exportRequest = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes }),
      scopeSpans: z.array(
        z.strictObject({ scope: z.strictObject({ name: z.string() }), spans: z.array(span).min(1) }),
      ),
    }),
  ),
});

interface Received {
  readonly pod: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly startedAt: number;
  readonly milliseconds: number;
  readonly failure: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
}

class Collector {
  readonly spans: Received[] = [];
  readonly headers: (string | undefined)[] = [];
  readonly raw: string[] = [];
  readonly broken: unknown[] = [];
  /** The statuses of the next answers; then 200. */
  answers: number[] = [];
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const status = this.answers.shift() ?? 200;
        if (status === 200) this.#take(request.url, request.headers, Buffer.concat(chunks).toString());
        response.writeHead(status, {
          'content-type': 'application/json',
          ...(status === 503 && { 'retry-after': '0' }),
        });
        response.end('{}');
      });
    });
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  named(traceId: string, name: string): Received[] {
    return this.spans.filter((found) => found.traceId === traceId && found.name === name);
  }

  #take(path: string | undefined, headers: NodeJS.Dict<string | string[]>, body: string): void {
    this.raw.push(body);
    this.headers.push(headers['x-team'] as string | undefined);
    const request = exportRequest.safeParse(JSON.parse(body));
    if (path !== '/v1/traces' || headers['content-type'] !== 'application/json' || !request.success)
      return void this.broken.push({ path, type: headers['content-type'], error: request.error?.message });
    for (const { resource, scopeSpans } of request.data.resourceSpans) {
      const pod = String(plain(resource.attributes)['service.instance.id']);
      for (const { spans } of scopeSpans)
        for (const { traceId, spanId, parentSpanId, name, status, ...found } of spans)
          this.spans.push({
            pod,
            name,
            traceId,
            spanId,
            parentSpanId,
            startedAt: Number(BigInt(found.startTimeUnixNano) / 1_000_000n),
            milliseconds: Number(BigInt(found.endTimeUnixNano) - BigInt(found.startTimeUnixNano)) / 1e6,
            failure: status?.message,
            attributes: plain(found.attributes),
          });
    }
  }
}

function plain(list: z.infer<typeof attributes>): Record<string, unknown> {
  return Object.fromEntries(
    list.map(({ key, value: given }) => {
      if ('intValue' in given) return [key, Number(given.intValue)];
      if ('arrayValue' in given) return [key, given.arrayValue.values.map((entry) => entry.stringValue)];
      return [key, Object.values(given)[0]];
    }),
  );
}

const collector = new Collector();
let env: Record<string, string>;
let database: TestDatabase;
let pod: TestPod;
beforeAll(async () => {
  env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: await collector.listen(),
    OTEL_EXPORTER_OTLP_HEADERS: 'x-team=agents',
    CONTINUO_EXECUTOR_LEASE_SECONDS: '300',
  };
  database = await freshDatabase();
  pod = await startPod({ databaseUrl: database.url, env });
});
afterAll(async () => {
  await pod.end();
  await database.drop();
  collector.close();
  expect(collector.broken).toEqual([]);
});

const traceOf = (run: string) => run.replaceAll('-', '');
const script = (...steps: object[]) => JSON.stringify({ steps });
/** The span of a run arrives last. */
const traced = (run: string, spans = collector) =>
  until(`the trace of run ${run} is there`, () => {
    const [found] = spans
      .named(traceOf(run), 'invoke_agent assistant')
      .filter(({ attributes: given }) => given['continuo.run.id'] === run);
    return found;
  });

test('PLUS-6 a run is one trace: its wait, model calls and tool calls, with tokens and without content', async () => {
  const thread = await createThread(pod.url);
  const content = script(
    { text: 'a secret thought', calls: [{ tool: 'pure', input: { note: 'a secret note', delay_ms: 20 } }] },
    { text: 'done' },
  );
  const run = await send(pod.url, thread, content);
  await framesOf(pod.url, run.id);
  const root = await traced(run.id);
  expect(root.parentSpanId).toBeUndefined();
  expect(root.attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'assistant',
    'gen_ai.conversation.id': thread,
    'continuo.run.status': 'done',
  });
  const parts = collector.spans.filter(
    ({ traceId, spanId }) => traceId === root.traceId && spanId !== root.spanId,
  );
  expect(parts.map(({ name }) => name).toSorted()).toEqual([
    'chat offline/script',
    'chat offline/script',
    'execute_tool pure',
    'queue',
  ]);
  expect(parts.every(({ parentSpanId }) => parentSpanId === root.spanId)).toBe(true);
  const [answer] = collector.named(root.traceId, 'chat offline/script');
  expect(answer!.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'offline',
    'gen_ai.request.model': 'script',
    'gen_ai.usage.input_tokens': expect.any(Number),
    'gen_ai.usage.output_tokens': expect.any(Number),
  });
  const [tool] = collector.named(root.traceId, 'execute_tool pure');
  expect(tool!.milliseconds).toBeGreaterThanOrEqual(19);
  expect(tool!.milliseconds).toBeLessThanOrEqual(root.milliseconds);
  expect(collector.raw.join()).not.toContain('secret');
  expect(new Set(collector.headers)).toEqual(new Set(['agents']));
});

test('PLUS-6 a failed run says so in its trace, by its code', async () => {
  const content = script({ error: { code: 'overloaded', message: 'too much' } });
  const run = await send(pod.url, await createThread(pod.url), content);
  await framesOf(pod.url, run.id);
  const root = await traced(run.id);
  expect(root.attributes).toMatchObject({ 'continuo.run.status': 'error', 'error.type': 'overloaded' });
  expect(root.failure).toContain('too much');
});

test('PLUS-6 a run that two pods executed is one trace: the takeover, and a call that the killed pod began, with its whole length', async () => {
  const other = await freshDatabase();
  const first = await startPod({ databaseUrl: other.url, env });
  const thread = await createThread(first.url);
  await call('PUT', `${first.url}/api/v1/workspaces/default/policy`, {
    rules: [{ tool: 'external', action: 'ask' }],
  });
  const content = script({ calls: [{ tool: 'external', input: { note: 'n' } }] }, { text: 'done' });
  const run = await send(first.url, thread, content);
  await seen(first.url, run.id, 'approval');
  first.kill('SIGKILL');
  await first.exited;
  const killedAt = Date.now();
  const second = await startPod({ databaseUrl: other.url, env });
  const approvals = `${second.url}/api/v1/workspaces/default/approvals`;
  const { items } = await call<{ items: { id: string }[] }>('GET', approvals);
  await call('POST', `${approvals}/${items[0]!.id}`, { decision: 'approve' });
  await framesOf(second.url, run.id);
  const root = await traced(run.id);
  const approval = await until('the span of the approval is there', () =>
    collector.named(root.traceId, 'approval external').at(0),
  );
  expect(approval.attributes).toMatchObject({
    'continuo.approval.decision': 'approve',
    'continuo.approval.kind': 'call',
  });
  expect(approval.startedAt).toBeLessThanOrEqual(killedAt);
  expect(approval.startedAt + approval.milliseconds).toBeGreaterThan(killedAt);
  expect(collector.named(root.traceId, 'chat offline/script').length).toBeGreaterThanOrEqual(1);
  await second.end();
  await other.drop();
});

test('PLUS-6 child runs belong to the trace of the run that started them', async () => {
  const [thread, run, message] = [uuidv7(), uuidv7(), uuidv7()];
  const directive = { mode: 'waves', waves: [[{ steps: [{ text: 'one' }] }, { steps: [{ text: 'two' }] }]] };
  await database.pool.query(
    `with t as (insert into threads (id, workspace_id, title, wake_at) values ($1, $4, 'parent', now()) returning id),
      m as (insert into messages (id, workspace_id, thread_id, run_id, ordinal, seq, role, content)
        select $3, $4, id, $2, 1, 0, 'user', '{"text":"go"}' from t)
      insert into runs (id, workspace_id, thread_id, ordinal, message_id, model, role, principal, directive)
        select $2, $4, id, 1, $3, 'offline/script', 'assistant', '{"kind":"local"}', $5 from t`,
    [thread, run, message, WORKSPACE, JSON.stringify(directive)],
  );
  const root = await traced(run);
  const runs = collector.named(root.traceId, 'invoke_agent assistant');
  expect(runs).toHaveLength(3);
  expect(runs.filter(({ parentSpanId }) => parentSpanId === root.spanId)).toHaveLength(2);
  expect(collector.named(root.traceId, 'chat offline/script').length).toBeGreaterThanOrEqual(2);
});

test('PLUS-6 an executor gets the trace context of its answer, so that its spans are part of the trace', async () => {
  const run = await start(pod.url, 'traced');
  const assignment = await claim(pod.url, 'traced');
  await post(pod.url, assignment, 1, text('It is done.'), finish());
  const root = await traced(run.id);
  const [answer] = collector.named(root.traceId, 'chat executor/traced');
  expect(assignment.request.traceparent).toBe(`00-${root.traceId}-${answer!.spanId}-01`);
});

test('PLUS-6 CONTINUO_TRACE_CONTENT adds what models wrote and what tools got and returned', async () => {
  const telling = await startPod({
    databaseUrl: database.url,
    env: { ...env, CONTINUO_TRACE_CONTENT: 'on' },
  });
  await pod.end();
  const content = script({ calls: [{ tool: 'pure', input: { note: 'a note' } }] }, { text: 'the answer' });
  const run = await send(telling.url, await createThread(telling.url), content);
  await framesOf(telling.url, run.id);
  const { traceId } = await traced(run.id);
  expect(collector.named(traceId, 'execute_tool pure')[0]!.attributes).toMatchObject({
    'gen_ai.tool.call.arguments': '{"note":"a note"}',
    'gen_ai.tool.call.result': '{"saw":"a note"}',
  });
  const answers = collector.named(traceId, 'chat offline/script');
  expect(answers.map(({ attributes: given }) => given['gen_ai.output.messages'])).toContain('the answer');
  pod = telling;
});

test('PLUS-6 a collector that is busy gets the spans later, and one that is away costs only spans', async () => {
  collector.answers = [503, 429, 503];
  const run = await send(pod.url, await createThread(pod.url), script({ text: 'ok' }));
  await framesOf(pod.url, run.id);
  await traced(run.id);
  collector.answers = [400];
  const refused = await send(pod.url, await createThread(pod.url), script({ text: 'ok' }));
  await framesOf(pod.url, refused.id);
  await until('the refused spans are counted', async () => {
    const { text: metrics } = await ask('GET', `${pod.url}/metrics`);
    return Number(/continuo_spans_dropped_total (\d+)/.exec(metrics)?.[1]) > 0;
  });
  collector.close();
  const last = await send(pod.url, await createThread(pod.url), script({ text: 'still here' }));
  const frames = await framesOf(pod.url, last.id);
  expect(frames.at(-1)).toMatchObject({ data: { status: 'done' } });
  await until('the log says so once', () => pod.output().includes('traces cannot be sent'));
});
