// Many reads of one address, over connections that are kept.

import { request as send } from 'node:http';
import { connections } from './request.ts';

export interface Reads {
  readonly url: string;
  readonly count: number;
  readonly concurrency: number;
  readonly headers: Readonly<Record<string, string>>;
  /** What every answer must have. */
  readonly status: number;
  readonly bytes: number;
}

export async function readMany({ url, count, concurrency, headers, status, bytes }: Reads): Promise<void> {
  const agent = connections();
  let left = count;
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const sent = send(url, { agent, headers }, (response) => {
        let got = 0;
        response.on('data', (chunk: Buffer) => (got += chunk.length));
        response.once('error', reject);
        response.once('end', () => {
          if (response.statusCode === status && got === bytes) resolve();
          else reject(new Error(`${url} answered ${response.statusCode} with ${got} bytes`));
        });
      });
      sent.once('error', reject);
      sent.end();
    });
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await one();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  agent.destroy();
}
