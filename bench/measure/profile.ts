// Where a process spent its time: the self time of each function, from a CPU profile.

export interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples?: readonly number[];
  readonly timeDeltas?: readonly number[];
}

export interface SelfTime {
  readonly place: string;
  readonly ms: number;
}

export function selfTimes({ nodes, samples = [], timeDeltas = [] }: Profile): SelfTime[] {
  const places = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
  const spent = new Map<string, number>();
  samples.forEach((id, index) => {
    const place = places.get(id) ?? '?';
    spent.set(place, (spent.get(place) ?? 0) + (timeDeltas[index] ?? 0) / 1000);
  });
  return [...spent]
    .map(([place, ms]) => ({ place, ms }))
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, 60);
}

function placeOf({ functionName, url, lineNumber }: Profile['nodes'][number]['callFrame']): string {
  const name = functionName || '(anonymous)';
  const file = url.replace(/^.*\/(node_modules|packages)\//, '');
  return file === '' ? name : `${name}  ${file}:${lineNumber + 1}`;
}
