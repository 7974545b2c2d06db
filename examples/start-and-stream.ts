// Starts a run and prints its answer as it arrives.
//
//   npm start, and in another terminal:  node examples/start-and-stream.ts "What can you do?"

import { createClient } from '@continuo/client';

const client = createClient({ baseUrl: process.env.CONTINUO_URL ?? 'http://127.0.0.1:4400' });
const [content = 'Write a haiku to notes/haiku.md.'] = process.argv.slice(2);

const thread = await client.threads.create();
const { run } = await client.threads.send(thread.id, { content });

for await (const event of client.runs.stream(run.id)) {
  if (event.type === 'token') process.stdout.write(event.data.text);
  if (event.type === 'tool_start') console.log(`\n→ ${event.data.title ?? event.data.tool}`);
  if (event.type === 'error') console.error(`\n${event.data.error}`);
  if (event.type === 'state') console.log(`\n[${event.data.status}]`);
}
