// Follows a run, disconnects in the middle, and resumes in another process with the last id. Stop or kill the server in between:
// the run continues when the server is back, and no event is lost or repeated.
//
//   node examples/resume-after-a-restart.ts                   starts a run and disconnects after ten events
//   node examples/resume-after-a-restart.ts <run> <last id>   continues from there

import { createClient } from '@continuo/client';

const client = createClient({ baseUrl: process.env.CONTINUO_URL ?? 'http://127.0.0.1:4400' });
const [given, after = '0'] = process.argv.slice(2);

async function begin(): Promise<string> {
  const { run } = await client.chats.open({ goal: 'Tell me what you can do, at length.' });
  return run.id;
}

const run = given ?? (await begin());
const leaving = new AbortController();

for await (const event of client.runs.stream(run, {
  after: Number(after),
  signal: leaving.signal,
  onState: (state) => {
    if (state.kind === 'reconnecting') console.log(`… gone, try ${state.tries} in ${state.inMs} ms`);
  },
})) {
  console.log(event.id, event.type);
  // Aborting only disconnects; the run continues.
  if (!given && event.id === 10) {
    leaving.abort();
    console.log(`go on with: node examples/resume-after-a-restart.ts ${run} ${event.id}`);
  }
}
