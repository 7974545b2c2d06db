// A link in Markdown: another server's opens in a tab of its own; a page of the console, or a file of the workspace, opens in
// this one; and one that could run something is only text.

import { useRouter } from '@tanstack/react-router';
import type { ComponentProps, MouseEvent } from 'react';
import { pages } from '../../app/pages.ts';

export function MarkdownLink({ href, children, ...rest }: ComponentProps<'a'>) {
  const router = useRouter({ warn: false });
  if (!href) return <span title="This link was left out: it is not one of the web.">{children}</span>;
  if (/^([a-z][a-z\d+.-]*:|\/\/)/i.test(href))
    return (
      <a {...rest} href={href} target="_blank" rel="noreferrer noopener">
        {children}
      </a>
    );
  const inside = href.startsWith('#') || isPage(href) ? href : addressOf(href);
  const go = (event: MouseEvent) => {
    const elsewhere = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    if (elsewhere || href.startsWith('#')) return;
    event.preventDefault();
    void router.navigate({ href: inside });
  };
  return (
    <a {...rest} href={inside} onClick={go}>
      {children}
    </a>
  );
}

/** What ends like a file is one, also where its folder is called like a page. */
function isPage(href: string): boolean {
  const [path] = href.split(/[?#]/) as [string];
  if (path.startsWith('/files/')) return true;
  const first = (of: string) => /^\/[^/]*/.exec(of)?.[0];
  return !/\.[^./]+$/.test(path) && pages.some((page) => first(page.path) === first(path));
}

/** Of a file, whose path is from the workspace's root, also where it does not say so. */
function addressOf(href: string): string {
  return `/files${new URL(href, 'file:///').pathname}`;
}
