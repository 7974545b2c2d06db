// A link in Markdown. Links to other servers open a new tab; pages of the console, files of the workspace and entities
// (`entity:<id>`) open in this tab; a link that could run a script is plain text.

import { useRouter } from '@tanstack/react-router';
import type { ComponentProps, MouseEvent } from 'react';
import { pages } from '../../app/pages.ts';

export function MarkdownLink({ href, children, ...rest }: ComponentProps<'a'>) {
  const router = useRouter({ warn: false });
  if (!href) return <span title="Link removed: only web links are allowed.">{children}</span>;
  if (!isEntity(href) && /^([a-z][a-z\d+.-]*:|\/\/)/i.test(href))
    return (
      <a {...rest} href={href} target="_blank" rel="noreferrer noopener">
        {children}
      </a>
    );
  const inside = isEntity(href)
    ? `/entities/${href.slice(ENTITY.length)}`
    : href.startsWith('#') || isPage(href)
      ? href
      : addressOf(href);
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

const ENTITY = 'entity:';
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Whether a link names an entity of the workspace. */
export function isEntity(href: string): boolean {
  return href.startsWith(ENTITY) && UUID.test(href.slice(ENTITY.length));
}

/** A path with a file extension is a file, even if its folder has the name of a page. */
function isPage(href: string): boolean {
  const [path] = href.split(/[?#]/) as [string];
  if (path.startsWith('/files/')) return true;
  // Projects have a folder of the same name.
  if (path.startsWith('/projects/')) return UUID.test(path.split('/')[2] ?? '');
  const first = (of: string) => /^\/[^/]*/.exec(of)?.[0];
  return !/\.[^./]+$/.test(path) && pages.some((page) => first(page.path) === first(path));
}

/** The page of a file. Relative paths start at the workspace's root. */
function addressOf(href: string): string {
  return `/files${new URL(href, 'file:///').pathname}`;
}
