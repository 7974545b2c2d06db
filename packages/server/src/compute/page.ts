// The readable text of a web page, as Markdown. The page is hostile: nothing of it is run or loaded.

import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import Turndown from 'turndown';

export interface PageText {
  readonly title: string;
  readonly markdown: string;
}

/** `url` is the page's address, which its links are relative to. */
export function readPage({ html, url }: { readonly html: string; readonly url: string }): PageText {
  const document = documentOf(html);
  const title = document.querySelector('title')?.textContent?.trim() ?? '';
  const hidden = 'script, style, noscript, template, iframe, object, svg, body title';
  for (const element of document.querySelectorAll(hidden)) element.remove();
  absolute(document, url);
  // Readability changes the document that it reads.
  const whole = document.body?.innerHTML ?? html;
  const article = new Readability(document, { charThreshold: 200 }).parse();
  const markdown = toMarkdown(article?.content ?? whole);
  return { title: article?.title?.trim() || title, markdown };
}

type PageDocument = ReturnType<typeof parseHTML>['document'];

/** Pages may leave out the tags of `html`, `head` and `body`, which the parser does not add. */
const OUTER = /<!doctype[^>]*>|<\/?(?:html|head|body)(?=[\s/>])[^>]*>/gi;

function documentOf(html: string): PageDocument {
  const { document } = parseHTML(html);
  // A text without an element has no root.
  if (document.documentElement?.localName === 'html' && document.querySelector('body')) return document;
  return parseHTML(`<html><body>${html.replace(OUTER, '')}</body></html>`).document;
}

function absolute(document: PageDocument, base: string): void {
  for (const [selector, attribute] of [
    ['a[href]', 'href'],
    ['img[src]', 'src'],
  ] as const)
    for (const element of document.querySelectorAll(selector)) {
      const target = URL.parse(element.getAttribute(attribute) ?? '', base);
      if (target && /^(https?|mailto):$/.test(target.protocol)) element.setAttribute(attribute, target.href);
      else element.removeAttribute(attribute);
    }
}

function toMarkdown(html: string): string {
  const turndown = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' });
  // An image is its description: a model cannot load it, and an address can be an instruction to do so.
  turndown.addRule('image', {
    filter: 'img',
    replacement: (_, node) => {
      const alt = (node as unknown as { getAttribute(name: string): string | null })
        .getAttribute('alt')
        ?.trim();
      return alt ? `[image: ${alt}]` : '';
    },
  });
  const body = parseHTML(`<html><body>${html}</body></html>`).document.body;
  return turndown
    .turndown(body)
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}
