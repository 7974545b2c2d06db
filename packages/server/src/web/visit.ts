// web_visit: reads a web page as Markdown.

import { z } from 'zod';
import { TooMuchWork, workers } from '../compute/pool.ts';
import { OutgoingRefused, type Outgoing } from '../outgoing/outgoing.ts';
import { ToolFailure, type Tool } from '../tools/tool.ts';
import { get, textOf, type Got } from './get.ts';
import { PAGE_BYTES, PAGE_MS, SHOWN_CHARACTERS } from './limits.ts';

const input = z.strictObject({
  url: z.string().max(4096).describe('The address of the page, with http or https'),
  from: z
    .int()
    .min(0)
    .default(0)
    .describe('The first character of the text to show, to read on in a long page'),
});
type Input = z.infer<typeof input>;

/** Shown as it is; everything else that is not HTML is refused. */
const PLAIN =
  /^(text\/(plain|markdown|csv|x-[\w.-]+)|application\/(json|ld\+json|xml|rss\+xml|atom\+xml)|text\/xml)$/;
const HTML = /^(text\/html|application\/xhtml\+xml)$/;

export function visitTool(outgoing: Outgoing): Tool<Input> {
  return {
    name: 'web_visit',
    description:
      'Reads a page of the web and returns its text as Markdown. Long pages are read in parts, with from.',
    // A request tells its receiver what the URL says, so rules about external effects must apply to it.
    effect: 'external',
    untrusted: true,
    offeredFrom: 'inform',
    elsewhere: true,
    input,
    words: ({ url }) => `Visits ${url.slice(0, 200)}`,
    summary: (output) => `Visited ${String(output['url'])}: ${String(output['title'])}`,
    check: ({ url }) => {
      try {
        outgoing.require(parse(url));
      } catch (error) {
        throw error instanceof OutgoingRefused ? new ToolFailure(`not made: ${error.message}`) : error;
      }
    },
    async run({ url: given, from }, { signal, runId }) {
      const url = parse(given);
      const got = await get(outgoing, url, {
        headers: { accept: 'text/html, text/plain;q=0.9, application/json;q=0.8' },
        bytes: PAGE_BYTES,
        ms: PAGE_MS,
        signal,
      });
      const { title, text } = await read(got, url, { signal, runId });
      const shown = text.slice(from, from + SHOWN_CHARACTERS);
      const next = from + shown.length;
      const notes = [
        ...(got.status >= 400 ? [`The server answered with status ${got.status}.`] : []),
        ...(got.isCut ? [`The page is larger than ${PAGE_BYTES} bytes; the rest was not read.`] : []),
        ...(next < text.length
          ? [`Characters ${from} to ${next} of ${text.length}; go on with from ${next}.`]
          : []),
      ];
      return { url: url.href, title, text: [`# ${title}`, ...notes, shown].join('\n\n') };
    },
  };
}

function parse(given: string): URL {
  const url = URL.parse(given);
  if (url) return url;
  throw new ToolFailure('the url is not valid; give a whole address, such as https://example.com/page');
}

async function read(
  got: Got,
  url: URL,
  { signal, runId }: { readonly signal: AbortSignal; readonly runId: string },
): Promise<{ title: string; text: string }> {
  const raw = textOf(got);
  if (PLAIN.test(got.type)) return { title: url.href, text: raw };
  if (!HTML.test(got.type) && got.type !== '')
    throw new ToolFailure(`${url.host} answered with ${got.type}, which is not text`);
  try {
    const page = await workers.run('readPage', { html: raw, url: url.href }, { key: runId, signal });
    return { title: page.title || url.href, text: page.markdown };
  } catch (error) {
    if (error instanceof TooMuchWork) throw new ToolFailure(`the page of ${url.host} takes too long to read`);
    throw error;
  }
}
