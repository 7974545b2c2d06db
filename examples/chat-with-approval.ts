// A chat whose run needs approval before it removes a file. The program shows the approval, approves it, and the run continues.
//
//   node examples/chat-with-approval.ts

import { readFileSync } from 'node:fs';
import { createClient } from '@continuo/client';

// Deciding an approval needs the person's token, which the server created at its first start.
const token = process.env.CONTINUO_PERSON_TOKEN ?? readFileSync('.continuo/person-token', 'utf8').trim();
const client = createClient({ baseUrl: process.env.CONTINUO_URL ?? 'http://127.0.0.1:4400', apiKey: token });

await client.files.write('/drafts/old.md', 'Nobody needs this any more.\n');
const { chat, run } = await client.chats.open({ goal: 'Delete drafts/old.md.', title: 'Tidy up' });
console.log(`chat ${chat.id}`);

for await (const event of client.runs.stream(run.id)) {
  if (event.type === 'approval') {
    const { approval, tool, input, reason } = event.data;
    console.log(`${tool} ${JSON.stringify(input)}: ${reason}`);
    await client.approvals.decide(approval, { decision: 'approve', comment: 'Yes, please.' });
  }
  if (event.type === 'approval_end') console.log(`decided: ${event.data.decision}`);
  if (event.type === 'tool_end') console.log(`${event.data.tool}: ${event.data.success ? 'done' : 'failed'}`);
  if (event.type === 'final') console.log(event.data.text);
}
