// Stacked bars over time. A screen reader gets the numbers as a table.

interface BarsProps {
  readonly label: string;
  /** One for each bar. */
  readonly labels: readonly string[];
  readonly series: readonly {
    readonly id: string;
    readonly name: string;
    readonly color: string;
    readonly values: readonly number[];
  }[];
  readonly words: (value: number) => string;
}

const HEIGHT = 100;
/** The part of a bar's place that it fills. */
const FILLED = 0.78;

export function Bars({ label, labels, series, words }: BarsProps) {
  const sums = labels.map((_label, at) => series.reduce((sum, { values }) => sum + values[at]!, 0));
  const top = niceTop(Math.max(...sums, 0));
  const middle = Math.floor((labels.length - 1) / 2);
  return (
    <figure>
      <div className="flex h-40 gap-2 text-xs text-soft tabular-nums">
        <div className="flex flex-col justify-between text-right" aria-hidden="true">
          <span>{words(top)}</span>
          <span>{words(0)}</span>
        </div>
        <svg
          viewBox={`0 0 ${labels.length} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={label}
          className="h-full min-w-0 flex-1 border-b border-strong/40"
        >
          {[0, 0.5].map((line) => (
            <line
              key={line}
              x1={0}
              x2={labels.length}
              y1={line * HEIGHT}
              y2={line * HEIGHT}
              stroke="var(--line)"
              vectorEffect="non-scaling-stroke"
            />
          ))}
          {labels.map((name, at) => {
            let y = HEIGHT;
            return (
              <g key={name + String(at)} className="hover:opacity-80">
                <title>{`${name}: ${words(sums[at]!)}${detailsOf(series, at, words)}`}</title>
                {/* So that the whole place of the bar shows its title. */}
                <rect x={at} y={0} width={1} height={HEIGHT} fill="transparent" />
                {series.map(({ id, color, values }) => {
                  const height = top === 0 ? 0 : (values[at]! / top) * HEIGHT;
                  y -= height;
                  return height === 0 ? null : (
                    <rect
                      key={id}
                      x={at + (1 - FILLED) / 2}
                      y={y}
                      width={FILLED}
                      height={height}
                      fill={color}
                    />
                  );
                })}
              </g>
            );
          })}
        </svg>
      </div>
      <div className="mt-1 flex justify-between pl-8 text-xs text-soft" aria-hidden="true">
        <span>{labels[0]}</span>
        {labels.length > 2 && <span>{labels[middle]}</span>}
        {labels.length > 1 && <span>{labels.at(-1)}</span>}
      </div>
      <details className="mt-2">
        <summary className="w-fit rounded text-xs text-soft hover:text-ink">The numbers</summary>
        <div
          className="mt-1 max-h-64 overflow-auto"
          tabIndex={0}
          role="region"
          aria-label={`The numbers: ${label}`}
        >
          <table className="w-full text-xs tabular-nums">
            <thead className="sticky top-0 bg-raised text-left text-soft">
              <tr>
                <th className="py-1 pr-3 font-medium">From</th>
                <th className="py-1 text-right font-medium">Sum</th>
              </tr>
            </thead>
            <tbody>
              {labels.map((name, at) => (
                <tr key={name + String(at)} className="border-t">
                  <th className="py-0.5 pr-3 text-left font-normal">{name}</th>
                  <td className="py-0.5 text-right">{words(sums[at]!)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

/** The smallest of 1, 2, 2.5 and 5 times a power of ten that is not below the largest value. */
function niceTop(most: number): number {
  if (most <= 0) return 0;
  const power = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 2.5, 5, 10].find((times) => times * power >= most) ?? 10) * power;
}

function detailsOf(series: BarsProps['series'], at: number, words: BarsProps['words']): string {
  return series
    .filter(({ values }) => values[at]! > 0)
    .map(({ name, values }) => `\n${name}: ${words(values[at]!)}`)
    .join('');
}
