// A piece as readers will see it. The server has sanitised the HTML. Links between pieces lead to their pages in the console.

import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Visible } from '../ui/visible.tsx';
import type { Checked } from './queries.ts';

type Shown = Pick<Checked, 'title' | 'fields'> & { readonly html?: string };

export function Preview({ piece }: { readonly piece: Shown }) {
  const { title, html = '', fields } = piece;
  const place = useRef<HTMLDivElement>(null);
  const navigate = useNavigate();
  useEffect(() => {
    const { body } = new DOMParser().parseFromString(html, 'text/html');
    for (const link of body.querySelectorAll('a')) prepareLink(link);
    for (const image of body.querySelectorAll('img')) prepareImage(image);
    for (const wide of body.querySelectorAll('table, pre')) prepareWide(wide);
    place.current!.replaceChildren(...body.childNodes);
  }, [html]);
  useEffect(() => {
    const element = place.current!;
    const open = (event: MouseEvent) => {
      const link = (event.target as Element).closest('a');
      const path = link?.dataset.piece;
      if (path === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      void navigate({ to: path });
    };
    element.addEventListener('click', open);
    return () => element.removeEventListener('click', open);
  }, [navigate]);
  const about = [fields.author, fields.date].filter((value) => typeof value === 'string').join(' · ');
  return (
    <article aria-label="Preview" className="rounded-xl border bg-raised px-5 py-6 sm:px-8">
      <p className="text-2xl font-semibold tracking-tight wrap-anywhere">
        <Visible text={title} />
      </p>
      {about !== '' && (
        <p className="mt-1 text-sm text-soft">
          <Visible text={about} />
        </p>
      )}
      {typeof fields.description === 'string' && (
        <p className="mt-2 text-soft wrap-anywhere">
          <Visible text={fields.description} />
        </p>
      )}
      <div ref={place} dir="auto" className="prose mt-5" />
    </article>
  );
}

/** `/articles/tea` is an address of the site; other addresses open in a new tab. */
function prepareLink(link: HTMLAnchorElement): void {
  const address = link.getAttribute('href') ?? '';
  const piece = /^\/([a-z\d-]+)\/([a-z\d-]+)$/.exec(address);
  if (piece) {
    link.dataset.piece = `/content/${piece[1]}/${piece[2]}`;
    link.href = link.dataset.piece;
  } else if (!address.startsWith('#')) {
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
  }
}

/** An element that is wider than the page scrolls by itself, with the keyboard too. */
function prepareWide(wide: Element): void {
  const frame = document.createElement('div');
  frame.className = 'overflow-x-auto';
  frame.tabIndex = 0;
  frame.role = 'region';
  frame.ariaLabel = wide.localName === 'table' ? 'Table' : 'Code';
  wide.replaceWith(frame);
  frame.append(wide);
}

/** Images of other servers stand here as their text: the page loads nothing from elsewhere. */
function prepareImage(image: HTMLImageElement): void {
  const stand = () => {
    const box = document.createElement('span');
    box.className = 'block rounded-lg border border-dashed p-4 text-center text-sm text-soft';
    box.textContent = `Image: ${image.alt || 'without a description'}`;
    image.replaceWith(box);
  };
  if (image.getAttribute('src')?.startsWith('/api/')) image.addEventListener('error', stand);
  else stand();
}
