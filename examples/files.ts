// Files and their versions: a write based on an old version is refused as a conflict, or merged.
//
//   node examples/files.ts

import { ApiError, createClient } from '@continuo/client';

const client = createClient({ baseUrl: process.env.CONTINUO_URL ?? 'http://127.0.0.1:4400' });
const path = '/notes/list.md';

const first = await client.files.write(path, 'eggs\nflour\nmilk\n');
await client.files.write(path, 'eggs\nflour\noat milk\n', { base: first.version });

try {
  await client.files.write(path, 'twelve eggs\nflour\nmilk\n', { base: first.version });
} catch (error) {
  if (!(error instanceof ApiError) || error.code !== 'version_conflict') throw error;
  console.log(`refused: ${error.message}`);
}

const merged = await client.files.write(path, 'twelve eggs\nflour\nmilk\n', {
  base: first.version,
  onConflict: 'merge',
});
console.log(`merged as version ${merged.version}:\n${await (await client.files.read(path)).text()}`);

const { diff } = await client.files.diff({ path, from: first.version, to: merged.version });
console.log(diff);

const back = await client.files.restore({ path, version: first.version });
console.log(`version ${first.version} is back`, back);
