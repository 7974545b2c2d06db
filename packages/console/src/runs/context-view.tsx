// What a run sent to its model: tokens and cost of each part, what was left out, and the difference to another call.

import { useQuery } from '@tanstack/react-query';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import {
  contextQuery,
  requestQuery,
  type Run,
  type RunContext,
  type SentRequest,
} from '../data/run-queries.ts';
import { money, number } from '../ui/format.tsx';
import { Select } from '../ui/select.tsx';
import { Failure, isMissing, Loading } from '../ui/states.tsx';
import { Visible } from '../ui/visible.tsx';
import { Comparison } from './context-comparison.tsx';
import { GroupList } from './context-group.tsx';
import { Figure } from './run-summary.tsx';
import { COLOURS, groupsOf, type GroupSum } from './context-parts.ts';

/** The shown call, and the call that it is compared with; null: the last one, and none. */
export interface ContextPlace {
  readonly call: string | null;
  readonly other: string | null;
}

interface ContextViewProps {
  readonly run: Run;
  readonly place: ContextPlace;
  readonly show: (place: ContextPlace) => void;
}

export function ContextView({ run, place, show }: ContextViewProps) {
  const [message, tried] = place.call?.split('.') ?? [];
  const { data, error, refetch } = useQuery(contextQuery(run, message, tried));
  if (isMissing(error))
    return (
      <p className="px-4 py-8 text-sm text-soft sm:px-6">
        {run.ended_at === null
          ? 'The run has not asked a model yet.'
          : 'The run has asked no model itself. If it has child runs, the timeline leads to them, and each shows what it sent.'}
      </p>
    );
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Loading what="the context" />;
  return (
    <div className="space-y-6 px-4 py-5 sm:px-6">
      <Calls context={data} place={place} show={show} />
      <Exactness context={data} />
      <Sums context={data} />
      {place.other === null ? (
        <GroupList groups={groupsOf(data.parts)} />
      ) : (
        <Other run={run} context={data} other={place.other} />
      )}
      <LeftOut context={data} />
    </div>
  );
}

/** A dot would make it a number in the page's address. */
const addressOf = ({ seq, try: tried }: SentRequest) => `${seq}-${tried}`;
const keyOf = ({ message, try: tried }: SentRequest) => `${message}.${tried}`;

function Calls({
  context,
  place,
  show,
}: { readonly context: RunContext } & Pick<ContextViewProps, 'place' | 'show'>) {
  const { requests, previous } = context;
  const several = (message: string | null) => requests.filter((each) => each.message === message).length > 1;
  const words = (each: SentRequest) =>
    `Call ${each.message?.slice(1)}${several(each.message) ? `, try ${each.try}` : ''}`;
  const others = requests.filter((each) => keyOf(each) !== keyOf(context));
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
      <label className="flex items-center gap-2">
        <span className="text-soft">Call</span>
        <Select
          label="Call"
          value={keyOf(context)}
          choose={(call) => show({ ...place, call })}
          choices={requests.map((each) => [keyOf(each), words(each)])}
        />
      </label>
      {(others.length > 0 || previous) && (
        <label className="flex items-center gap-2">
          <span className="text-soft">Compare with</span>
          <Select
            label="Compare with"
            value={place.other ?? ''}
            choose={(other) => show({ ...place, other: other === '' ? null : other })}
            choices={[
              ['', 'No other call'],
              ...(previous ? ([[addressOf(previous), 'The turn before']] as const) : []),
              ...others.map((each) => [addressOf(each), words(each)] as const),
            ]}
          />
        </label>
      )}
      <span className="ml-auto min-w-0 truncate text-xs text-soft">{context.model}</span>
    </div>
  );
}

function Exactness({ context: { exact, problem, hash } }: { readonly context: RunContext }) {
  const Icon = exact ? CircleCheck : TriangleAlert;
  return (
    <p
      role="status"
      className={`flex items-start gap-2 rounded-lg px-3 py-2 text-sm ${exact ? 'bg-good-wash text-good' : 'bg-warn-wash text-warn'}`}
    >
      <Icon className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
      <span className="min-w-0 wrap-anywhere">
        {exact ? 'Exactly what was sent: rebuilt, with the hash that was stored then.' : problem}{' '}
        <code className="font-mono text-xs" title={hash}>
          {hash.slice(0, 12)}
        </code>
      </span>
    </p>
  );
}

function Sums({ context }: { readonly context: RunContext }) {
  const { tokens, cost, parts } = context;
  const groups = groupsOf(parts);
  return (
    <section aria-label="Tokens">
      <dl className="grid grid-cols-2 gap-x-6 gap-y-2 text-sm sm:flex sm:flex-wrap sm:gap-x-8">
        <Figure name="Tokens, estimated">{number(tokens.estimated)}</Figure>
        <Figure name="Tokens, as reported">{tokens.input === null ? '–' : number(tokens.input)}</Figure>
        {tokens.cached !== null && <Figure name="From the provider’s cache">{number(tokens.cached)}</Figure>}
        <Figure name="Cost of the input">{cost === null ? 'Unknown' : money(cost)}</Figure>
      </dl>
      <div className="mt-3 flex h-4 gap-px overflow-hidden rounded-md bg-sunken" aria-hidden="true">
        {groups.map(({ group, tokens: own }) => (
          <span
            key={group}
            className={`min-w-[3px] ${COLOURS[group]}`}
            style={{ width: `${(own / Math.max(1, tokens.estimated)) * 100}%` }}
          />
        ))}
      </div>
      <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-xs text-soft">
        {groups.map((each) => (
          <Legend key={each.group} sum={each} of={tokens.estimated} />
        ))}
      </ul>
    </section>
  );
}

function Legend({ sum: { group, tokens }, of }: { readonly sum: GroupSum; readonly of: number }) {
  const share = Math.round((tokens / Math.max(1, of)) * 100);
  return (
    <li className="inline-flex items-center gap-1.5 tabular-nums">
      <span className={`h-2 w-4 rounded-sm ${COLOURS[group]}`} aria-hidden="true" />
      {`${group} ${number(tokens)} (${share} %)`}
    </li>
  );
}

function Other({
  run,
  context,
  other,
}: {
  readonly run: Run;
  readonly context: RunContext;
  readonly other: string;
}) {
  const { data, error, refetch } = useQuery(requestQuery(run.thread_id, other));
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Loading what="the other call" />;
  return <Comparison one={data} other={context} />;
}

function LeftOut({ context: { left_out } }: { readonly context: RunContext }) {
  return (
    <section aria-labelledby="left-out" className="text-sm">
      <h2 id="left-out" className="font-semibold">
        Left out
      </h2>
      {left_out.length === 0 ? (
        <p className="mt-1 text-soft">Nothing was left out.</p>
      ) : (
        <ul className="mt-2 divide-y overflow-hidden rounded-xl border bg-raised">
          {left_out.map(({ what, why, tokens }, index) => (
            <li key={index} className="flex flex-wrap items-baseline gap-x-3 px-4 py-2">
              <span className="font-medium first-letter:uppercase">
                <Visible text={what} />
              </span>
              <span className="min-w-0 text-soft wrap-anywhere">
                because <Visible text={why} />
              </span>
              {tokens > 0 && (
                <span className="ml-auto text-xs text-soft tabular-nums">{number(tokens)} tokens</span>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
