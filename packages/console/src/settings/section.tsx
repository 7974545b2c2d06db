// A section of the settings: a heading, a description, and the result of a query.

import { useId, type ReactNode } from 'react';
import { Failure, Loading } from '../ui/states.tsx';
import { anchorOf } from './sections.ts';

interface SectionProps<T> {
  readonly title: string;
  readonly about: ReactNode;
  readonly query: {
    readonly data: T | undefined;
    readonly error: Error | null;
    readonly refetch: () => Promise<unknown>;
  };
  readonly children: (data: T) => ReactNode;
}

export function Section<T>({ title, about, query, children }: SectionProps<T>) {
  const id = useId();
  return (
    <section id={anchorOf(title)} aria-labelledby={id} className="mt-9 scroll-mt-4">
      <h2 id={id} className="font-semibold">
        {title}
      </h2>
      <p className="mt-0.5 mb-3 text-sm text-soft">{about}</p>
      {query.data !== undefined ? (
        children(query.data)
      ) : query.error ? (
        <Failure error={query.error} retry={() => void query.refetch()} />
      ) : (
        <Loading what={title.toLowerCase()} />
      )}
    </section>
  );
}

export const CARD = 'divide-y overflow-hidden rounded-xl border bg-raised text-sm';
export const FIELD =
  'w-full min-w-0 rounded-lg border border-strong/60 bg-page px-2.5 py-1.5 text-sm aria-invalid:border-bad';

export function Code({ children }: { readonly children: ReactNode }) {
  return <code className="font-mono text-[0.9em] wrap-anywhere">{children}</code>;
}
