// What one call to a model had that another had not.

import type { ModelContext } from '../data/run-queries.ts';
import { number } from '../ui/format.tsx';
import { PartRow, PartText } from './context-group.tsx';
import { compare, type ContextChange } from './context-parts.ts';

const WORDS: Record<ContextChange['kind'], string> = { added: 'New', removed: 'Gone', changed: 'Changed' };
const STYLE: Record<ContextChange['kind'], string> = {
  added: 'bg-good-wash text-good',
  removed: 'bg-bad-wash text-bad',
  changed: 'bg-warn-wash text-warn',
};

/** The call with the higher seq is the later one. */
export function Comparison({ one, other }: { readonly one: ModelContext; readonly other: ModelContext }) {
  const [earlier, later] =
    one.seq < other.seq || (one.seq === other.seq && one.try < other.try) ? [one, other] : [other, one];
  const { changes, same } = compare(earlier.parts, later.parts);
  const grown = later.tokens.estimated - earlier.tokens.estimated;
  const largest = Math.max(1, ...changes.map(({ part }) => part.tokens));
  return (
    <section aria-labelledby="comparison" className="text-sm">
      <h2 id="comparison" className="font-semibold">
        What changed from the earlier to the later call
      </h2>
      <p className="mt-0.5 mb-2 text-soft tabular-nums">
        {`${number(same.parts)} parts with ${number(same.tokens)} tokens are the same; ${
          grown === 0
            ? 'as many tokens in all'
            : `${number(Math.abs(grown))} tokens ${grown > 0 ? 'more' : 'less'} in all`
        }.`}
      </p>
      {changes.length > 0 && (
        <ul aria-label="Changed parts" className="divide-y overflow-hidden rounded-xl border bg-raised">
          {changes.map(({ kind, part, before }, index) => (
            <li key={index}>
              <PartRow
                part={part}
                largest={largest}
                mark={
                  <span className={`mr-2 rounded-md px-1.5 py-0.5 text-xs ${STYLE[kind]}`}>
                    {WORDS[kind]}
                  </span>
                }
                before={
                  before && (
                    <>
                      <p className="text-xs text-soft">Before</p>
                      <PartText part={before} label="Before" />
                      <p className="text-xs text-soft">After</p>
                    </>
                  )
                }
              />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
