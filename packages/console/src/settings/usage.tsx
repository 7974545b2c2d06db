// Usage over time: tokens, cost or runs by model, role, project or chat, as stacked bars and as a list.

import { Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { client } from '../data/client.ts';
import { keys } from '../data/queries.ts';
import { money, number } from '../ui/format.tsx';
import { Select } from '../ui/select.tsx';
import { Visible } from '../ui/visible.tsx';
import { Bars } from './bars.tsx';
import { CARD, Section } from './section.tsx';

type Usage = Awaited<ReturnType<typeof client.usageOverTime>>;
type Totals = Usage['total'];
type By = 'model' | 'role' | 'project' | 'chat';
type Measure = 'tokens' | 'cost' | 'runs';
type Range = keyof typeof RANGES;

const DAY_MS = 86_400_000;
const RANGES = {
  day: { words: 'Last 24 hours', days: 1, bucket: 'hour' },
  week: { words: 'Last 7 days', days: 7, bucket: 'day' },
  month: { words: 'Last 30 days', days: 30, bucket: 'day' },
  quarter: { words: 'Last 90 days', days: 90, bucket: 'week' },
  year: { words: 'Last 12 months', days: 365, bucket: 'month' },
} as const;

const NOTHING: Record<By, string> = {
  model: 'No model',
  role: 'Titles and summaries',
  project: 'In no project',
  chat: 'No chat',
};

const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const hour = new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' });
const month = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric' });

export function Usage() {
  const [by, setBy] = useState<By>('model');
  const [range, setRange] = useState<Range>('month');
  const [measure, setMeasure] = useState<Measure>('tokens');
  const query = useQuery({
    queryKey: [...keys.runs, 'usage', by, range],
    queryFn: ({ signal }) => {
      const { days, bucket } = RANGES[range];
      const to = new Date();
      const from = new Date(to.getTime() - days * DAY_MS).toISOString();
      const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
      return client.usageOverTime({ by, bucket, from, to: to.toISOString(), time_zone }, { signal });
    },
    staleTime: 0,
    placeholderData: (before) => before,
  });
  return (
    <Section
      title="Usage"
      about="Tokens and cost of this workspace’s ended runs, titles and summaries."
      query={query}
    >
      {(usage) => (
        <>
          <div className="mb-3 flex flex-wrap gap-2">
            <Select
              label="What is shown"
              value={measure}
              choose={(chosen) => setMeasure(chosen as Measure)}
              choices={[
                ['tokens', 'Tokens'],
                ['cost', 'Cost'],
                ['runs', 'Runs'],
              ]}
            />
            <Select
              label="By"
              value={by}
              choose={(chosen) => setBy(chosen as By)}
              choices={[
                ['model', 'by model'],
                ['role', 'by role'],
                ['project', 'by project'],
                ['chat', 'by chat'],
              ]}
            />
            <Select
              label="Time"
              value={range}
              choose={(chosen) => setRange(chosen as Range)}
              choices={Object.entries(RANGES).map(([value, { words }]) => [value, words] as const)}
            />
          </div>
          <Shown usage={usage} by={by} measure={measure} range={range} />
        </>
      )}
    </Section>
  );
}

interface ShownProps {
  readonly usage: Usage;
  readonly by: By;
  readonly measure: Measure;
  readonly range: Range;
}

function Shown({ usage, by, measure, range }: ShownProps) {
  const { buckets, series, others, total } = usage;
  if (series.length === 0) return <p className={`${CARD} px-4 py-3 text-soft`}>No usage in this period.</p>;
  const format = range === 'day' ? hour : range === 'year' ? month : day;
  const labels = buckets.map((at) => format.format(new Date(at)));
  const all = others ? [...series, { ...others, key: 'others', name: `${others.count} others` }] : series;
  const rows = all.map((one, index) => ({
    id: one.key ?? 'none',
    name:
      one.name ?? (one.key === null ? NOTHING[by] : by === 'chat' ? 'A deleted chat' : 'A deleted project'),
    link: index < series.length ? one.key : null,
    color: colorOf(index, all.length),
    total: one.total,
    values: buckets.map((_at, at) =>
      measure === 'tokens'
        ? one.input[at]! + one.output[at]!
        : measure === 'runs'
          ? one.runs[at]!
          : (one.cost[at] ?? 0),
    ),
  }));
  const words = measure === 'cost' ? money : number;
  return (
    <>
      <div className="rounded-xl border bg-raised px-4 pt-4 pb-3">
        <p className="mb-3 flex flex-wrap items-baseline gap-x-3 text-sm">
          <span className="text-lg font-semibold tabular-nums">{headline(total, measure)}</span>
          <span className="text-soft tabular-nums">{inWords(total)}</span>
        </p>
        <Bars
          label={`${measure === 'cost' ? 'Cost' : measure === 'runs' ? 'Runs' : 'Tokens'} ${RANGES[range].words.toLowerCase()}, by ${by}`}
          labels={labels}
          series={rows}
          words={words}
        />
      </div>
      <ul className={`${CARD} mt-3`} aria-label="Usage">
        {rows.map((row) => (
          <li key={row.id} className="flex flex-wrap items-center gap-x-3 gap-y-0.5 px-4 py-2">
            <span
              className="size-2.5 shrink-0 rounded-sm"
              style={{ background: row.color }}
              aria-hidden="true"
            />
            <span className="min-w-0 flex-1 basis-40 truncate" title={row.name}>
              <Named by={by} id={row.link}>
                <Visible text={row.name} />
              </Named>
            </span>
            <span className="text-xs text-soft tabular-nums">{inWords(row.total)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Named({
  by,
  id,
  children,
}: {
  readonly by: By;
  readonly id: string | null;
  readonly children: ReactNode;
}) {
  const style = 'rounded hover:underline';
  if (id !== null && by === 'chat')
    return (
      <Link to="/chats/$chat" params={{ chat: id }} className={style}>
        {children}
      </Link>
    );
  if (id !== null && by === 'project')
    return (
      <Link to="/projects/$project/$" params={{ project: id, _splat: '' }} className={style}>
        {children}
      </Link>
    );
  return children;
}

/** Hues that differ as far as they can; the last of many is grey for the others. */
function colorOf(index: number, of: number): string {
  return of > 10 && index === of - 1
    ? 'oklch(0.6 0.01 200)'
    : `oklch(${index % 2 === 0 ? 0.6 : 0.7} 0.12 ${(195 + index * 137.5) % 360})`;
}

function headline(total: Totals, measure: Measure): string {
  if (measure === 'runs') return `${number(total.runs)} ${total.runs === 1 ? 'run' : 'runs'}`;
  if (measure === 'cost') return total.cost === null ? 'No cost known' : money(total.cost);
  return `${number(total.input + total.output)} tokens`;
}

function inWords({ runs, input, output, cost }: Totals): string {
  const tokens = `${number(runs)} ${runs === 1 ? 'run' : 'runs'} · ${number(input)} tokens in, ${number(output)} out`;
  return cost === null ? tokens : `${tokens} · ${money(cost)}`;
}
