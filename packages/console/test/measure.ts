// Measures a page in a headless browser: `node packages/console/test/measure.ts http://127.0.0.1:4400`, against any
// running server.
// - From an event's bytes leaving for the browser to the frame that shows its token.
// - From navigation to the frame that shows the end of a chat of 50,000 events.
// Not a test: the result depends on the load of the machine.

import { loadavg } from 'node:os';
import { chromium, type Page } from 'playwright-core';
import { startProxy } from '@continuo/testkit';
import { chromiumPath } from '@continuo/testkit/browser';
import { ended, openScript, sayScript } from './support/chats.ts';

const base = process.argv[2] ?? 'http://127.0.0.1:4400';
const TOKENS = 500;
const TOKEN_MS = 20;
const RUNS = 52;
const TOKENS_PER_RUN = 960;
const LOADS = 5;

const browser = await chromium.launch({
  executablePath: chromiumPath!,
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});

/** Records, in the page, when each matching text of the last answer was first painted, in milliseconds since 1970. */
async function watch(page: Page, pattern: RegExp): Promise<void> {
  await page.addInitScript((source) => {
    const shown: Record<string, number> = {};
    Object.assign(globalThis, { shown });
    const matches = new RegExp(source, 'g');
    const afterwards = (task: () => void) => {
      const { port1, port2 } = new MessageChannel();
      port1.addEventListener('message', task);
      port1.start();
      port2.postMessage(null);
    };
    let inFrame = false;
    const request = requestAnimationFrame.bind(globalThis);
    globalThis.requestAnimationFrame = (callback) =>
      request((time) => {
        inFrame = true;
        afterwards(() => (inFrame = false));
        callback(time);
      });
    const look = () => {
      const answer = [...document.querySelectorAll('article[aria-label=Answer]')].at(-1);
      const fresh = (answer?.textContent?.match(matches) ?? []).filter((each) => !(each in shown));
      if (fresh.length === 0) return;
      for (const each of fresh) shown[each] = Number.NaN;
      const after = () =>
        afterwards(() => {
          const at = performance.timeOrigin + performance.now();
          for (const each of fresh) shown[each] = at;
        });
      // A change inside a frame is painted at its end, any other at the end of the next frame.
      if (inFrame) after();
      else request(after);
    };
    new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
  }, pattern.source);
}

const shownIn = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { shown: Record<string, number> }).shown);

function numbers(values: readonly number[]): string {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!.toFixed(0);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, most ${at(1)} ms (${sorted.length})`;
}

async function tokens(): Promise<string> {
  const sent: Record<string, number> = {};
  const proxy = await startProxy(base);
  proxy.set({
    cut: () => (bytes) => {
      const at = performance.timeOrigin + performance.now();
      for (const [token] of bytes.toString('latin1').matchAll(/(?<="text":")t\d+\./g)) sent[token] ??= at;
      return null;
    },
  });
  const { chat, run } = await openScript(base, 'Measured', [{ text: 'Ready.' }]);
  await ended(base, run);
  const page = await browser.newPage();
  await watch(page, /\bt\d+\./);
  await page.goto(`${proxy.url}/chats/${chat}`);
  await page.getByText('Ready.', { exact: true }).waitFor();
  const deltas = Array.from({ length: TOKENS }, (_, index) => `t${index}. `);
  const measured = await sayScript(base, chat, [{ deltas, delay_ms: TOKEN_MS }]);
  await ended(base, measured);
  await page.getByRole('status').getByText('Ready').waitFor();
  const shown = await shownIn(page);
  await page.close();
  await proxy.close();
  // Tokens whose bytes arrived in two chunks were not seen.
  const seen = Object.keys(sent);
  return numbers(seen.map((each) => shown[each]! - sent[each]!));
}

async function longChat(): Promise<string> {
  const { chat } = await openScript(base, 'Long', [{ text: 'This is the beginning.' }]);
  let last = '';
  for (let index = 0; index < RUNS; index += 1)
    last = await sayScript(base, chat, [{ tokens: TOKENS_PER_RUN }]);
  await ended(base, last);
  const end = await sayScript(base, chat, [{ deltas: ['This is ', 'the end.'] }]);
  await ended(base, end);
  const took: number[] = [];
  for (let load = 0; load < LOADS; load += 1) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await watch(page, /This is the end\./);
    await page.goto(`${base}/chats/${chat}`);
    await page.getByText('This is the end.', { exact: true }).waitFor();
    const shown = await shownIn(page);
    took.push(shown['This is the end.']! - (await page.evaluate(() => performance.timeOrigin)));
    await context.close();
  }
  return numbers(took);
}

const load = () => `load average ${loadavg()[0]!.toFixed(2)}`;
console.log(`A token on the screen after its event was sent: ${await tokens()}; ${load()}`);
console.log(`The end of a chat of 50,000 events on the screen: ${await longChat()}; ${load()}`);
await browser.close();
