// What a client of each dialect may rely on: nothing is said twice, nothing is left open. Each check says in words what
// is wrong with the frames of a whole log.

import type { LogEvent } from '@continuo/protocol';

export interface SentFrame {
  readonly event: string | undefined;
  readonly id: string;
  // Checks look into data of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
}

export type Check = (frames: readonly SentFrame[], events: readonly LogEvent[]) => string[];

/** One frame for each event, numbered without a gap. */
export const checkRuns: Check = (frames, events) => {
  const wrong: string[] = [];
  if (frames.length !== events.length) wrong.push(`${frames.length} frames for ${events.length} events`);
  frames.forEach(({ id }, index) => {
    if (id !== String(index + 1)) wrong.push(`frame ${index + 1} has the id ${id}`);
  });
  return wrong;
};

export const checkWorkspace: Check = (frames, events) => {
  const runs = Map.groupBy(
    events.filter(({ runId }) => runId !== null),
    ({ runId }) => runId!,
  );
  const of = (...names: string[]) => frames.filter(({ event }) => names.includes(event!));
  const ends = Map.groupBy(of('done', 'stopped'), ({ data }) => data.metadata?.run ?? data.run);
  const failures = of('state_changed').filter(({ data }) => data.to_state === 'error').length;
  const wrong = [
    ...checkIds(frames),
    ...checkStates(of('state_changed')),
    ...checkTexts(of('chunk'), events),
  ];
  let failed = 0;
  for (const [run, own] of runs) {
    const end = own.find(
      ({ type, data }) => type === 'state' && 'status' in data && data.status !== 'running',
    );
    const status = end && (end.data as { status: string }).status;
    if (status === 'error') failed += 1;
    const wanted = status === 'done' ? ['done'] : status === 'canceled' ? ['stopped'] : [];
    const got = (ends.get(run) ?? []).map(({ event }) => event);
    if (got.join() !== wanted.join())
      wrong.push(`run ${run} is ${status ?? 'open'}, and was told as ${got.join() || 'open'}`);
    // The run's frames lie between its own; those of others carry no call.
    const within = frames.filter(({ id }) => own.some(({ seq }) => seq === Number(id.split('.')[0])));
    wrong.push(...checkCalls(within, { call: 'call', result: 'observation', ended: status !== undefined }));
  }
  if (failures !== failed) wrong.push(`${failed} runs failed, and ${failures} were told`);
  return wrong;
};

export const checkAgent: Check = (frames, events) => {
  const wrong = [
    ...checkIds(frames),
    ...checkTexts(
      frames.filter(({ event }) => event === 'text_delta'),
      events,
    ),
  ];
  const last = events.at(-1)!;
  const status = last.type === 'state' && last.data.status !== 'running' ? last.data.status : null;
  const places = (name: string) => frames.flatMap(({ event }, index) => (event === name ? [index] : []));
  if (places('session').join() !== '0') wrong.push(`session at ${places('session').join()}`);
  const done = status === null ? '' : String(frames.length - 1);
  if (places('done').join() !== done) wrong.push(`done at ${places('done').join()} of ${frames.length}`);
  if (status !== null && frames.at(-1)!.data.status !== status)
    wrong.push(`done says ${frames.at(-1)!.data.status}`);
  if (places('error').length !== (status === 'error' ? 1 : 0))
    wrong.push(`${places('error').length} errors in a run that is ${status}`);
  const doing = frames.filter(({ event, data }) => event === 'agent_state' && Object.keys(data).length === 1);
  doing.forEach(({ data, id }, index) => {
    if (
      index > 0 &&
      data.state === doing[index - 1]!.data.state &&
      frames.indexOf(doing[index]!) === frames.indexOf(doing[index - 1]!) + 1
    )
      wrong.push(`${id}: ${data.state} again`);
  });
  return [
    ...wrong,
    ...checkCalls(frames, { call: 'tool_call', result: 'tool_result', ended: status !== null }),
  ];
};

/** Ids rise, and no frame comes twice. */
function checkIds(frames: readonly SentFrame[]): string[] {
  const order = ({ id }: SentFrame) => {
    const [at, part] = id.split('.').map(Number) as [number, number?];
    return at + (part === undefined ? 0.999_999_9 : part / 1_000_000);
  };
  return frames.flatMap((frame, index) =>
    index > 0 && order(frame) <= order(frames[index - 1]!)
      ? [`${frame.id} after ${frames[index - 1]!.id}`]
      : [],
  );
}

interface Calls {
  readonly call: string;
  readonly result: string;
  readonly ended: boolean;
}

/** Each call once, each result once and after its call, and none without a result once the run has ended. */
function checkCalls(frames: readonly SentFrame[], { call, result, ended }: Calls): string[] {
  const wrong: string[] = [];
  const open = new Set<string>();
  const seen = new Set<string>();
  for (const { event, data } of frames) {
    if (event === call) {
      if (seen.has(data.call)) wrong.push(`call ${data.call} twice`);
      seen.add(data.call);
      open.add(data.call);
    }
    if (event === result && !open.delete(data.call))
      wrong.push(`a result of ${data.call}, which is not open`);
  }
  if (ended && open.size > 0) wrong.push(`${[...open].join()} left open`);
  return wrong;
}

/** Each state is left where the next begins. */
function checkStates(frames: readonly SentFrame[]): string[] {
  return frames.flatMap(({ data, id }, index) => {
    const before = frames[index - 1]?.data;
    return before?.session === data.session && before.to_state !== data.from_state
      ? [`${id}: from ${data.from_state}`]
      : [];
  });
}

/** All text is there, message by message. */
function checkTexts(pieces: readonly SentFrame[], events: readonly LogEvent[]): string[] {
  const said = pieces.map(({ data }) => data.text).join('');
  const logged = events.flatMap((event) => (event.type === 'token' ? [event.data.text] : [])).join('');
  return said === logged ? [] : ['the text is not what was said'];
}
