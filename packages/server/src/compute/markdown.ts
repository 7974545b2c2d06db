// Turns Markdown into HTML that is safe to show: raw HTML is dropped, and only the elements, attributes and protocols of the
// allow-list remain. Links can be replaced on the way.

import type { Root } from 'hast';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import rehypeStringify from 'rehype-stringify';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkRehype from 'remark-rehype';
import { unified } from 'unified';
import { visit } from 'unist-util-visit';

export interface Rendered {
  readonly html: string;
  /** The addresses of links and images, as they are written, each once. */
  readonly links: readonly string[];
  readonly images: readonly string[];
}

/** Raw HTML is dropped before, so the only ids are those of footnotes, which have a prefix already. */
const SAFE = { ...defaultSchema, clobber: [] };

interface Input {
  readonly text: string;
  /** The address to use instead, by the address as it is written. */
  readonly replace: Readonly<Record<string, string>>;
}

export function renderMarkdown({ text, replace }: Input): Rendered {
  const links = new Set<string>();
  const images = new Set<string>();
  const addresses = () => (tree: Root) =>
    visit(tree, 'element', ({ tagName, properties }) => {
      const name = tagName === 'a' ? 'href' : tagName === 'img' ? 'src' : null;
      const given = name && properties[name];
      if (!name || typeof given !== 'string') return;
      (name === 'href' ? links : images).add(given);
      if (Object.hasOwn(replace, given)) properties[name] = replace[given];
    });
  const html = unified()
    .use(remarkParse)
    .use(remarkGfm)
    .use(remarkRehype)
    .use(addresses)
    .use(rehypeSanitize, SAFE)
    .use(rehypeStringify)
    .processSync(text);
  return { html: String(html), links: [...links], images: [...images] };
}
