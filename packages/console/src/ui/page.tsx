// The frame of a page that scrolls as a whole, also by keyboard, with its heading.

import type { ReactNode } from 'react';
import { useTitle } from '../app/title.ts';

interface PageFrameProps {
  readonly title: string;
  readonly about?: string;
  /** Shown beside the heading. */
  readonly beside?: ReactNode;
  readonly wide?: boolean;
  readonly children: ReactNode;
}

export function PageFrame({ title, about, beside, wide = false, children }: PageFrameProps) {
  useTitle(title);
  return (
    <div
      className="min-h-0 flex-1 overflow-y-auto"
      tabIndex={0}
      data-quiet-focus
      role="region"
      aria-label={title}
    >
      <div className={`mx-auto ${wide ? 'max-w-5xl' : 'max-w-3xl'} px-4 py-8 sm:px-6`}>
        <div className="flex flex-wrap items-end gap-x-4 gap-y-3">
          <div className="mr-auto">
            <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
            {about && <p className="mt-1 text-sm text-soft">{about}</p>}
          </div>
          {beside}
        </div>
        {children}
      </div>
    </div>
  );
}
