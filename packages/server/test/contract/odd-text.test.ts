// Text that JSON and URLs can say and a database cannot keep, in every string place of every route that the document names.

import { beforeAll, expect, test } from 'vitest';
import { AS_PERSON, ask, createThread, framesOf, send } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';

const world = usePod();

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly additionalProperties?: Schema | boolean;
}
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

let document: Document;
let thread: string;
let run: string;
beforeAll(async () => {
  document = (await ask('GET', `${world.url}/openapi.json`)).body as Document;
  thread = await createThread(world.url);
  run = (await send(world.url, thread, { steps: [{ text: 'x' }] })).id;
  await framesOf(world.url, run);
});

const NOBODY = '01900000-0000-7000-8000-000000000000';
/** As a URL says them: NUL, and the bytes that half a surrogate pair would be. */
const IN_URL = ['%00', 'a%00b', '%ED%A0%80', '%ff'];
const IN_BODY = ['a\0b', '\ud800', 'x\udc00y'];

/** A place that is none of these is another resource's. */
function known(path: string, name: string): string {
  if (name === 'chat' || (name === 'id' && /^\/api\/(threads|chat)\//.test(path))) return thread;
  if (name === 'id' && path.startsWith('/api/runs/')) return run;
  if (name === 'id' && path.startsWith('/api/v1/workspaces/')) return 'default';
  return name === 'path' ? 'a.txt' : NOBODY;
}

const filled = (path: string, odd?: { name: string; value: string }) =>
  path.replaceAll(/\{(\w+)[^}]*\}/g, (_, name: string) =>
    odd?.name === name ? odd.value : known(path, name),
  );

/** A value with every field, or with those that must be there and the one named; nested ones whole. */
function example(given: Schema, optional: string | null | true): unknown {
  const schema = given.$ref ? document.components.schemas[given.$ref.split('/').at(-1)!]! : given;
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (first) return example(first, optional);
  if (schema.allOf)
    return Object.assign({}, ...schema.allOf.map((each) => example(each, optional) as object)) as unknown;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const type = typeof schema.type === 'string' ? schema.type : (schema.type?.[0] ?? 'object');
  if (type === 'array') return schema.items ? [example(schema.items, true)] : [];
  if (type === 'object') {
    const named = Object.entries(schema.properties ?? {}).filter(
      ([name]) => optional === true || optional === name || schema.required?.includes(name),
    );
    const free = typeof schema.additionalProperties === 'object' || named.length === 0;
    return {
      ...(free && { free: 'text' }),
      ...Object.fromEntries(named.map(([name, inner]) => [name, example(inner, true)])),
    };
  }
  if (type === 'boolean') return true;
  if (type === 'number' || type === 'integer') return schema.minimum ?? 1;
  if (type === 'null') return null;
  return schema.format === 'uuid' ? NOBODY : 'text';
}

/** The value again and again, each time with one of its strings replaced. */
function* replaced(value: unknown, odd: string): Generator<unknown> {
  if (typeof value === 'string') yield odd;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value))
    for (const other of replaced(inner, odd))
      yield Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other };
}

function bodiesOf(schema: Schema): unknown[] {
  const resolved = schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)!]! : schema;
  const wholes = [true as const, null, ...Object.keys(resolved.properties ?? {})].map((each) =>
    example(schema, each),
  );
  // Every text in the whole body; one of them in each part alone, because a whole body may be refused for its combination.
  const odd = wholes.flatMap((whole, index) =>
    IN_BODY.slice(0, index === 0 ? IN_BODY.length : 1).flatMap((text) => [...replaced(whole, text)]),
  );
  return [...new Map(odd.map((body) => [JSON.stringify(body), body])).values()];
}

/** Only the status is wanted: a stream has no end. */
async function statusOf(method: string, path: string, body?: unknown): Promise<number> {
  const response = await fetch(world.url + path, {
    method: method.toUpperCase(),
    // Some routes answer a person only, before they read anything.
    headers: { ...AS_PERSON, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  await response.body?.cancel();
  return response.status;
}

test('no route answers 500 for text that the database cannot store, in any field', async () => {
  const asked: [what: string, status: () => Promise<number>][] = [];
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, { parameters = [], requestBody }] of Object.entries(operations)) {
      for (const { name, in: place } of parameters) {
        for (const value of IN_URL) {
          const target =
            place === 'path'
              ? filled(path, { name, value })
              : place === 'query' && `${filled(path)}?${name}=${value}`;
          if (target) asked.push([`${method} ${target}`, () => statusOf(method, target, requestBody && {})]);
        }
      }
      const schema = requestBody?.content['application/json']?.schema;
      for (const body of schema ? bodiesOf(schema) : [])
        asked.push([
          `${method} ${filled(path)} ${JSON.stringify(body)}`,
          () => statusOf(method, filled(path), body),
        ]);
    }
  }
  expect(asked.length).toBeGreaterThan(300);
  const failed: string[] = [];
  const next = async (): Promise<void> => {
    for (let each = asked.shift(); each; each = asked.shift()) {
      const status = await each[1]();
      if (status >= 500) failed.push(`${status} ${each[0]}`);
    }
  };
  await Promise.all([next(), next(), next(), next()]);
  expect(failed).toEqual([]);
  expect((await ask('GET', `${world.url}/healthz`)).status).toBe(200);
}, 120_000);

test.each([
  [
    '/api/chat',
    { id: '\ud800', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'x' }] }] },
  ],
  [
    '/api/chat',
    { id: 'c', messages: [{ id: '\ud800', role: 'user', parts: [{ type: 'text', text: 'x' }] }] },
  ],
  [
    '/api/chat',
    {
      id: 'c',
      trigger: 'regenerate-message',
      messageId: '\ud800',
      messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'x' }] }],
    },
  ],
  ['/api/ag-ui', { threadId: '\ud800', runId: 'r', messages: [{ id: 'm', role: 'user', content: 'x' }] }],
  ['/api/ag-ui', { threadId: 't', runId: '\ud800', messages: [{ id: 'm', role: 'user', content: 'x' }] }],
  ['/api/v1/workspaces/%00/restore', undefined],
])('POST %s with a name that cannot be kept is 400', async (path, body) => {
  const answer = await ask('POST', world.url + path, body);
  expect([answer.status, answer.body.code]).toEqual([400, body ? 'invalid_body' : 'invalid_params']);
});

test('a message with NUL or half a character is accepted in a chat that has a focus, and keeps the scope', async () => {
  const workspace = `${world.url}/api/v1/workspaces/default`;
  const { body } = await ask('POST', `${workspace}/chats`, { goal: 'hello', model: 'offline/instant' });
  const chat = `${workspace}/chats/${body.chat.id}`;
  for (const content of ['a\0b', '\ud800', '\udfff\ud800', 'a "\\u0000" }']) {
    expect((await ask('POST', `${chat}/focus`, { scope: 'global' })).status).toBe(200);
    expect((await ask('POST', chat, { content })).status).toBe(202);
    const { items } = (await ask('GET', `${world.url}/api/threads/${body.chat.id}/messages`)).body;
    const asked = items.findLast(({ role }: { role: string }) => role === 'user');
    expect(asked.content.text ?? asked.content).toBe(content);
  }
});
