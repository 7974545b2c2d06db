// Reading published content: a page that the server has in memory, and 304 for a client that has it, against a Hono route that does
// nothing else. Requests per second of the server's CPU: what one core can do.

import { treeCpuMs } from '../measure/cpu.ts';
import { digits, median, ratio } from '../measure/numbers.ts';
import { startProgram } from '../processes.ts';
import type { Stage } from '../stage.ts';
import { judged, type Line, type Row } from './line.ts';

/** Either of the two is enough. */
const PER_SECOND = 5000;
const SHARE = 0.5;
const CONCURRENCY = 16;
const KEY = 'the-key-of-the-benchmark';
const TEXT = `---\ntitle: A page\ndescription: Of about two kilobytes.\n---\n\n${'Water first, and then some more of it. '.repeat(24)}\n`;

interface Target {
  readonly url: string;
  readonly pid: number;
  readonly etag: string;
}

export const content: Line = {
  key: 'content',
  measure: async (stage) => {
    const bare = await startProgram('./programs/bare-route.ts');
    try {
      return await stage.withPods(
        'content',
        1,
        async ([pod]) => {
          const page = await publish(pod!.url);
          await bare.ask('hold', { text: page.body });
          const { url } = bare.ready as { url: string };
          const targets = {
            bare: { url, pid: bare.pid, etag: '"the-text"' },
            continuo: { url: page.url, pid: pod!.program.pid, etag: page.etag },
          };
          const bytes = Buffer.byteLength(page.body);
          return [
            await compare(stage, targets, { key: 'content-page', what: 'a cached page', status: 200, bytes }),
            await compare(stage, targets, { key: 'content-304', what: '304', status: 304, bytes: 0 }),
          ];
        },
        { CONTINUO_API_KEY: KEY, CONTINUO_PUBLIC_CONTENT: '*' },
      );
    } finally {
      await bare.stop();
    }
  },
};

interface Read {
  readonly key: string;
  readonly what: string;
  readonly status: number;
  readonly bytes: number;
}

async function compare(
  stage: Stage,
  targets: Readonly<Record<'bare' | 'continuo', Target>>,
  { key, what, status, bytes }: Read,
): Promise<Row> {
  const count = stage.many(20_000, 4000);
  const rates = { bare: [] as number[], continuo: [] as number[] };
  // The first round warms up, and is not counted.
  for (let round = 0; round <= stage.options.rounds; round += 1)
    for (const name of ['bare', 'continuo'] as const) {
      const { url, pid, etag } = targets[name];
      const headers = status === 304 ? { 'if-none-match': etag } : {};
      const before = treeCpuMs(pid);
      await stage.load.ask('readMany', { url, count, concurrency: CONCURRENCY, headers, status, bytes });
      if (round > 0) rates[name].push((count / (treeCpuMs(pid) - before)) * 1000);
    }
  const [own, floor] = [median(rates.continuo), median(rates.bare)];
  return {
    key,
    line: `Published content: ${what} per second of CPU, against a bare Hono route`,
    target: `≥ ${PER_SECOND.toLocaleString('en')}/s or ≥ ${SHARE}×`,
    measured: `${digits(own)}/s, ${ratio(own / floor)} (${digits(floor)}/s)`,
    verdict: judged(own >= PER_SECOND || own / floor >= SHARE),
  };
}

async function publish(url: string) {
  const workspace = `${url}/api/v1/workspaces/default`;
  const ask = async (method: string, path: string, body?: string) => {
    const headers = {
      authorization: `Bearer ${KEY}`,
      ...(method === 'POST' && { 'content-type': 'application/json' }),
    };
    const response = await fetch(`${workspace}/${path}`, {
      method,
      headers,
      ...(body !== undefined && { body }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  };
  await ask('PUT', 'files/content/articles/page.md', TEXT);
  await ask('POST', 'content/articles/page/publish', '{}');
  const address = `${url}/api/v1/content/default/articles/page`;
  const response = await fetch(address);
  return { url: address, etag: response.headers.get('etag')!, body: await response.text() };
}
