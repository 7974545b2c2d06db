// Where a process spent its time: the self time of each function, from a CPU profile.

interface Frame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

export interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: Frame;
    readonly children?: readonly number[];
  }[];
  readonly samples?: readonly number[];
  readonly timeDeltas?: readonly number[];
}

export interface SelfTime {
  readonly place: string;
  readonly ms: number;
}

/** The same by module: a package, a folder of the server, a part of Node. */
export function byModule(times: readonly SelfTime[]): SelfTime[] {
  const spent = new Map<string, number>();
  for (const { place, ms } of times) {
    const key = moduleOf(place);
    spent.set(key, (spent.get(key) ?? 0) + ms);
  }
  return largestFirst(spent);
}

export function selfTimes({ nodes, samples = [], timeDeltas = [] }: Profile): SelfTime[] {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const spent = new Map<string, number>();
  samples.forEach((id, index) => {
    const place = placeOf(id, frames, callers);
    spent.set(place, (spent.get(place) ?? 0) + (timeDeltas[index] ?? 0) / 1000);
  });
  return largestFirst(spent);
}

function largestFirst(spent: ReadonlyMap<string, number>): SelfTime[] {
  return [...spent].map(([place, ms]) => ({ place, ms })).toSorted((a, b) => b.ms - a.ms);
}

/** Native code counts for its caller. */
function moduleOf(place: string): string {
  const [own = '', caller] = place.split(' ← ');
  const file = / (\S+):\d+$/.exec(own)?.[1];
  if (file === undefined) return caller === undefined ? own : moduleOf(caller);
  if (file.startsWith('node:')) return file.replace(/\/[^/]*$/, '');
  const parts = file.split('/');
  if (parts[1] === 'src') return parts.slice(0, Math.min(3, parts.length - 1)).join('/');
  return parts.slice(0, file.startsWith('@') ? 2 : 1).join('/');
}

/** The function; what is built into Node is told apart by who of us called it. */
function placeOf(
  id: number,
  frames: ReadonlyMap<number, Frame>,
  callers: ReadonlyMap<number, number>,
): string {
  const own = frames.get(id)!;
  if (isOurs(own)) return nameOf(own);
  for (let at = callers.get(id); at !== undefined; at = callers.get(at)) {
    const caller = frames.get(at)!;
    if (isOurs(caller)) return `${nameOf(own)} ← ${nameOf(caller)}`;
  }
  return nameOf(own);
}

function isOurs({ url }: Frame): boolean {
  return url.startsWith('file:');
}

function nameOf({ functionName, url, lineNumber }: Frame): string {
  const name = functionName || '(anonymous)';
  const file = url
    .replace(/^.*\/(node_modules|packages|bench)\//, '')
    .replace(/^node:(internal\/)?/, 'node:');
  return file === '' ? name : `${name} ${file}:${lineNumber + 1}`;
}
