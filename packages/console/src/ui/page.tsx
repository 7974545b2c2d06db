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
      className="min-h-0 flex-1 scroll-pb-20 overflow-y-auto"
      tabIndex={0}
      data-quiet-focus
      role="region"
      aria-label={title}
    >
      <div className={`mx-auto ${wide ? 'max-w-5xl' : 'max-w-3xl'} px-4 py-5 sm:px-6 md:py-8`}>
        <div className="flex flex-wrap items-end gap-x-4 gap-y-3">
          <div className="mr-auto">
            {/* On a narrow screen the header of the console has the title. */}
            <h1 className="text-xl font-semibold tracking-tight max-md:sr-only">{title}</h1>
            {about && <p className="text-sm text-soft md:mt-1">{about}</p>}
          </div>
          {beside}
        </div>
        {children}
      </div>
    </div>
  );
}
