// What a page paints, and when: seen from inside the page.

import type { Page } from 'playwright-core';

type Painted = Record<string, number>;

/** Records when each match of the pattern in the last answer is first painted, in milliseconds since 1970. Call it before the page opens. */
export async function watchPaints(page: Page, pattern: RegExp): Promise<void> {
  await page.addInitScript((source) => {
    const painted: Painted = {};
    Object.assign(globalThis, { painted });
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
      const last = [...document.querySelectorAll('article[aria-label=Answer]')].at(-1);
      const fresh = (last?.textContent?.match(matches) ?? []).filter((each) => !(each in painted));
      if (fresh.length === 0) return;
      for (const each of fresh) painted[each] = Number.NaN;
      const after = () =>
        afterwards(() => {
          const at = performance.timeOrigin + performance.now();
          for (const each of fresh) painted[each] = at;
        });
      // A change inside a frame is painted at its end, any other at the end of the next frame.
      if (inFrame) after();
      else request(after);
    };
    new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
  }, pattern.source);
}

/** Waits until all the texts have been painted. */
export async function paintsOf(page: Page, texts: readonly string[]): Promise<Painted> {
  await page.waitForFunction(
    (wanted) => wanted.every((text) => (globalThis as unknown as { painted: Painted }).painted[text]! > 0),
    texts,
  );
  return page.evaluate(() => (globalThis as unknown as { painted: Painted }).painted);
}

/** Scrolls a transcript up, and counts the frames in which a part of it has no row: the rows of the frame before are still there. */
export async function blankFrames(
  page: Page,
  { frames, pixels }: { readonly frames: number; readonly pixels: number },
): Promise<{ readonly frames: number; readonly blank: number }> {
  // A wheel's first turn is what makes the transcript no longer follow its end.
  await page.getByRole('log', { name: 'Transcript' }).hover();
  await page.mouse.wheel(0, -pixels);
  return page.getByRole('log', { name: 'Transcript' }).evaluate(
    async (log, { most, step }) => {
      /** Rows have space between them. */
      const SPACE = 64;
      const isBlank = () => {
        const view = log.getBoundingClientRect();
        const rows = [...log.querySelectorAll('[data-row]')]
          .map((row) => row.getBoundingClientRect())
          .filter(({ bottom, top }) => bottom > view.top && top < view.bottom)
          .toSorted((a, b) => a.top - b.top);
        let covered = view.top;
        for (const { top, bottom } of rows) {
          if (top - covered > SPACE) return true;
          covered = Math.max(covered, bottom);
        }
        return view.bottom - covered > SPACE;
      };
      /** At the top, older messages are awaited for so many frames. */
      const PATIENCE = 120;
      let count = 0;
      let blank = 0;
      for (let waited = 0; count < most && waited < PATIENCE;) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
        if (log.scrollTop === 0) {
          waited += 1;
          continue;
        }
        waited = 0;
        log.scrollTop -= step;
        count += 1;
        if (isBlank()) blank += 1;
      }
      return { frames: count, blank };
    },
    { most: frames, step: pixels },
  );
}
