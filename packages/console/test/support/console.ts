// A server, a browser, and pages for the console's tests. Every error that a page logs fails its test.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { PERSON_TOKEN } from '@continuo/testkit';
import { chromiumPath } from '@continuo/testkit/browser';
import { freshDatabase, startPod, type TestDatabase, type TestPod } from '@continuo/testkit/fixtures';
import { openScript } from './chats.ts';

const BUILT = fileURLToPath(new URL('../../dist/index.html', import.meta.url));
/** How long to wait for an element before the test fails. */
const PATIENCE_MS = 15_000;
/** The default: a busy machine must not let the lease expire. */
const LEASE_SECONDS = 5;

export interface ConsoleWorld {
  readonly url: string;
  readonly pod: TestPod;
  /** Opens a new tab, in a browser profile of its own unless one is given. */
  open(path: string, options?: OpenOptions): Promise<Page>;
  /** Restarts a killed server at the same address and on the same database. */
  startAgain(): Promise<void>;
}

interface OpenOptions {
  readonly context?: BrowserContext;
  readonly profile?: BrowserContextOptions;
  /** The address of the server, if not its own. */
  readonly base?: string;
  /** Whether the browser has the person's token; true by default. */
  readonly person?: boolean;
}

export function useConsole(env: Record<string, string> = {}): ConsoleWorld {
  let database: TestDatabase;
  let pod: TestPod;
  let browser: Browser;
  const settings = { CONTINUO_MODEL: 'offline/instant', ...env };
  const start = (more: Record<string, string> = {}) =>
    startPod({
      databaseUrl: database.url,
      leaseSeconds: LEASE_SECONDS,
      env: { ...settings, ...more },
      armable: true,
    });
  const problems: string[] = [];
  const contexts = new Set<BrowserContext>();
  beforeAll(async () => {
    if (!existsSync(BUILT)) throw new Error('The console is not built: `npm test` does that first.');
    database = await freshDatabase();
    // The default policy.
    await database.pool.query('update workspaces set policy = null');
    pod = await start();
    browser = await chromium.launch({
      executablePath: chromiumPath!,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    });
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') console.log(pod.output());
    await Promise.all([...contexts].map((context) => context.close()));
    contexts.clear();
    expect(problems.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await pod?.end();
    await database?.drop();
  });
  return {
    get url() {
      return pod.url;
    },
    get pod() {
      return pod;
    },
    open: async (path, { context, profile, base = pod.url, person = true } = {}) => {
      // Spinning icons are redrawn sixty times a second, on the CPU that the tests need.
      const used = context ?? (await browser.newContext({ reducedMotion: 'reduce', ...profile }));
      contexts.add(used);
      if (person) {
        const name = `continuo-person-${new URL(base).port}`;
        await used.addCookies([{ name, value: PERSON_TOKEN, url: base, httpOnly: true, sameSite: 'Strict' }]);
      }
      const page = await used.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      page.on('pageerror', (error) => problems.push(error.message));
      page.on('console', (message) => {
        const { url } = message.location();
        // The page itself reports requests that the server refused, and requests that found no server.
        const handled = url.includes('/api/') || message.text().startsWith('Failed to load resource: net::');
        if (message.type() === 'error' && !handled) problems.push(`${message.text()} (${url})`);
      });
      await page.goto(base + path);
      return page;
    },
    startAgain: async () => {
      const { port } = new URL(pod.url);
      await pod.exited;
      pod = await start({ CONTINUO_PORT: port });
    },
  };
}

/** The visible text of the transcript. */
export async function said(page: Page): Promise<string> {
  return page.getByRole('log', { name: 'Transcript' }).innerText();
}

export async function say(page: Page, text: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'Message' });
  await field.fill(text);
  await field.press('Enter');
}

/** Opens a chat in which the offline model follows the given steps; returns its path in the console. */
export async function openScripted(base: string, steps: readonly object[]): Promise<string> {
  return `/chats/${(await openScript(base, 'Scripted', steps)).chat}`;
}
