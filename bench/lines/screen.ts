// What people wait for in the console, in a real browser: the end of a long chat, a token that was sent, and rows while scrolling.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { chromium, type Browser } from 'playwright-core';
import { startProxy } from '@continuo/testkit';
import { chromiumPath } from '@continuo/testkit/browser';
import { blankFrames, paintsOf, watchPaints } from '../load/paints.ts';
import { digits, median, quantile } from '../measure/numbers.ts';
import type { Stage } from '../stage.ts';
import { judged, type Line, type Row } from './line.ts';

const TOKENS = 500;
const TOKEN_MS = 20;
const MOST_TOKEN_MS = 50;
/** Together more than 50,000 events. More tokens than one flush takes would be merged into one event. */
const LONG = { runs: 52, tokens: 960 };
const LOADS = 5;
const MOST_PAINT_MS = 1000;
const TURNS = 150;
const FRAMES = 300;
/** 12,000 px a second at 60 frames: a fast fling. */
const PIXELS_PER_FRAME = 200;
const MOST_ENTRY_BYTES = 200_000;
const DIST = new URL('../../packages/console/dist/', import.meta.url);

export const screen: Line = {
  key: 'screen',
  measure: async (stage) => {
    if (chromiumPath === null) throw new Error('there is no Chromium; install it');
    const browser = await chromium.launch({
      executablePath: chromiumPath,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    });
    try {
      return await stage.withPods('screen', 1, async ([pod]) => [
        await firstPaint(stage, browser, pod!.url),
        await tokens(stage, browser, pod!.url),
        await scrolling(stage, browser, pod!.url),
        entry(),
      ]);
    } finally {
      await browser.close();
    }
  },
};

async function firstPaint(stage: Stage, browser: Browser, base: string): Promise<Row> {
  const chat = await openChat(base);
  const runs = stage.many(LONG.runs, 5);
  for (let index = 0; index < runs; index += 1) await say(base, chat, [{ tokens: LONG.tokens }]);
  await say(base, chat, [{ deltas: ['This is ', 'the end.'] }]);
  const took: number[] = [];
  for (let load = 0; load < LOADS; load += 1) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await watchPaints(page, /This is the end\./);
    await page.goto(`${base}/chats/${chat}`);
    const painted = await paintsOf(page, ['This is the end.']);
    took.push(painted['This is the end.']! - (await page.evaluate(() => performance.timeOrigin)));
    await context.close();
  }
  return {
    key: 'screen-first-paint',
    line: `from navigation to the painted end of a chat of ${(runs * LONG.tokens).toLocaleString('en')} events`,
    target: `p50 < ${MOST_PAINT_MS} ms`,
    measured: `p50 ${digits(median(took), 'ms')}, most ${digits(Math.max(...took), 'ms')} (${LOADS} new browsers)`,
    verdict: judged(median(took) < MOST_PAINT_MS),
  };
}

async function tokens(stage: Stage, browser: Browser, base: string): Promise<Row> {
  const count = stage.many(TOKENS, 100);
  const sent: Record<string, number> = {};
  const proxy = await startProxy(base);
  proxy.set({
    cut: () => (bytes) => {
      const at = performance.timeOrigin + performance.now();
      for (const [token] of bytes.toString('latin1').matchAll(/(?<="text":")t\d+\./g)) sent[token] ??= at;
      return null;
    },
  });
  const chat = await openChat(base);
  await say(base, chat, [{ text: 'Ready.' }]);
  const page = await browser.newPage();
  await watchPaints(page, /\bt\d+\./);
  await page.goto(`${proxy.url}/chats/${chat}`);
  await page.getByText('Ready.', { exact: true }).waitFor();
  const deltas = Array.from({ length: count }, (_, index) => `t${index}. `);
  await say(base, chat, [{ deltas, delay_ms: TOKEN_MS }]);
  // A token whose bytes arrived in two pieces was not seen in transit.
  const seen = Object.keys(sent);
  const painted = await paintsOf(page, seen);
  await page.close();
  await proxy.close();
  const took = seen.map((token) => painted[token]! - sent[token]!);
  const p95 = quantile(took, 0.95);
  return {
    key: 'screen-token',
    line: `from a token's bytes leaving for the browser to its paint, ${1000 / TOKEN_MS} tokens/s`,
    target: `p95 ≤ ${MOST_TOKEN_MS} ms`,
    measured: `p50 ${digits(median(took), 'ms')}, p95 ${digits(p95, 'ms')} (${took.length} tokens)`,
    verdict: judged(p95 <= MOST_TOKEN_MS),
  };
}

async function scrolling(stage: Stage, browser: Browser, base: string): Promise<Row> {
  const chat = await openChat(base);
  const turns = stage.many(TURNS, 60);
  for (let turn = 0; turn < turns; turn += 1) await say(base, chat, [{ text: answer(turn) }]);
  const page = await browser.newPage();
  await page.goto(`${base}/chats/${chat}`);
  await page.getByText(`Answer ${turns - 1}.`, { exact: true }).waitFor();
  const { frames, blank } = await blankFrames(page, { frames: FRAMES, pixels: PIXELS_PER_FRAME });
  await page.close();
  return {
    key: 'screen-scroll',
    line: `frames with a blank part while scrolling up at ${PIXELS_PER_FRAME} px a frame`,
    target: '0',
    measured: `${blank} of ${frames}`,
    verdict: judged(frames > 0 && blank === 0),
  };
}

/** The build fails above the limit. */
function entry(): Row {
  const html = readFileSync(fileURLToPath(new URL('index.html', DIST)), 'utf8');
  const files = [...html.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g)].map(([, path]) => path!);
  const size = files.reduce((sum, path) => sum + gzipSync(readFileSync(new URL(path, DIST))).length, 0);
  return {
    key: 'screen-entry',
    line: 'scripts and styles that the console loads before it shows anything, gzipped',
    target: `≤ ${MOST_ENTRY_BYTES / 1000} kB`,
    measured: `${digits(size / 1000, 'kB')} in ${files.length} files`,
    verdict: judged(files.length > 0 && size <= MOST_ENTRY_BYTES),
  };
}

/** Answers of different heights: prose, lists, tables and code. */
function answer(turn: number): string {
  const lines = Array.from({ length: (turn * 7) % 23 }, (_, index) => `- point ${index} of answer ${turn}`);
  const code = turn % 3 === 0 ? ['```ts', ...lines.map((line) => `// ${line}`), '```'] : lines;
  return [`Answer ${turn}.`, '', ...code].join('\n');
}

async function openChat(base: string): Promise<string> {
  return (await post<{ id: string }>(`${base}/api/threads`, {})).id;
}

/** A message that the offline model answers with these steps; resolves when its run has ended. */
async function say(base: string, chat: string, steps: readonly object[]): Promise<void> {
  const message = { content: JSON.stringify({ steps }), model: 'offline/script' };
  const { run } = await post<{ run: { id: string } }>(`${base}/api/threads/${chat}/messages`, message);
  await (await fetch(`${base}/api/runs/${run.id}/events`)).text();
}

async function post<T>(url: string, body: object): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`POST ${url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}
