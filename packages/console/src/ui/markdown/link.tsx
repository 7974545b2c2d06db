// A link in Markdown: another server's opens in a tab of its own, one of the console stays in this one, and one that could run
// something is only text.

import { useRouter } from '@tanstack/react-router';
import type { ComponentProps, MouseEvent } from 'react';
import { pages } from '../../app/pages.ts';

export function MarkdownLink({ href, children, ...rest }: ComponentProps<'a'>) {
  const router = useRouter({ warn: false });
  if (!href) return <span title="This link was left out: it is not one of the web.">{children}</span>;
  if (!href.startsWith('#') && !isOwn(href))
    return (
      <a {...rest} href={href} target="_blank" rel="noreferrer noopener">
        {children}
      </a>
    );
  const go = (event: MouseEvent) => {
    const elsewhere = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    if (elsewhere || href.startsWith('#') || !isPage(href)) return;
    event.preventDefault();
    void router.navigate({ href });
  };
  return (
    <a {...rest} href={href} onClick={go}>
      {children}
    </a>
  );
}

function isOwn(href: string): boolean {
  return href.startsWith('/') && !href.startsWith('//');
}

function isPage(href: string): boolean {
  const first = (path: string) => /^\/[^/?#]*/.exec(path)?.[0];
  return pages.some(({ path }) => first(path) === first(href));
}
