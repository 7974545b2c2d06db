// What every executor must do, whatever it writes. Each check leads an executor through one situation, and throws a sentence if it
// does not behave.

import { setTimeout as sleep } from 'node:timers/promises';
import { CANCELED, LOST, type Assigned, type Fault, type Refusal } from './assigned.ts';
import { inTime, playRun, requestOf, type PlayedRun, type RunToPlay, type Scene } from './play-run.ts';
import type { Program } from './program.ts';

export interface Check {
  readonly id: string;
  readonly says: string;
  /** Whether the suite must have started the program itself. */
  readonly needsProgram?: true;
  run(scene: Scene, program: Program | null): Promise<void>;
}

/** A lease that is short enough to wait for its end. */
const SHORT_LEASE = 3;
/** Claims that an executor without work may send within `IDLE_SECONDS`. */
const IDLE_CLAIMS = 30;
const IDLE_SECONDS = 3;
const STOP_SECONDS = 30;

export const CHECKS: readonly Check[] = [
  {
    id: 'claim',
    says: 'It claims work by long poll, and claims again when there is none',
    run: async ({ judge, patienceSeconds }, program) => {
      await eventually(patienceSeconds, 'No claim came', () => {
        program?.assertStarted();
        return judge.claims.length > 0;
      });
      await eventually(patienceSeconds, 'It claimed once, and not again', () => judge.claims.length > 1);
      const before = judge.claims.length;
      await sleep(IDLE_SECONDS * 1000);
      const claims = judge.claims.length - before;
      if (claims > IDLE_CLAIMS)
        throw new Error(`It sent ${claims} claims in ${IDLE_SECONDS} s. Claim with a \`wait\`, such as 30.`);
    },
  },
  {
    id: 'answer',
    says: 'It writes an answer in numbered batches, and ends it with finish',
    run: async (scene) => void well(await playRun(scene)),
  },
  {
    id: 'next-run',
    says: 'It answers the next message of the thread, with the history and its own state',
    run: async (scene) => {
      const { history, state } = well(await playRun(scene));
      well(await playRun(scene, { history, state, content: 'And once more, please.' }));
    },
  },
  {
    id: 'failed-results',
    says: 'It ends its answer, well or with fail, if calls fail and questions are declined',
    run: async (scene) => void (await playRun(scene, { results: 'failed' })),
  },
  {
    id: 'odd-history',
    says: 'It takes notes of the server, files, reasoning, odd characters and fields that it does not know',
    run: async (scene) =>
      void (await playRun(scene, { history: ODD_HISTORY, content: `${scene.message} ${ODD}` })),
  },
  {
    id: 'lost-response',
    says: 'It sends a batch again whose response was lost, with the same number and the same events',
    run: (scene) => repeated(scene, { kind: 'cut' }, 'The response to a batch was cut off'),
  },
  {
    id: 'busy-server',
    says: 'It sends a batch again that a busy server did not take (503)',
    run: (scene) => repeated(scene, { kind: 'busy' }, 'A batch was answered with 503'),
  },
  {
    id: 'lease',
    says: 'It keeps its lease by heartbeats while an answer takes long',
    run: async (scene) => {
      const { answers } = await playRun(scene, {
        leaseSeconds: SHORT_LEASE,
        prepare: first((assigned) => hold(assigned, SHORT_LEASE * 2)),
      });
      const silence = answers[0]!.longestSilence;
      if (answers[0]!.beats === 0)
        throw new Error('No heartbeat came while the response to a batch was slow.');
      if (silence > SHORT_LEASE)
        throw new Error(`It was silent for ${silence.toFixed(1)} s, and the lease was ${SHORT_LEASE} s.`);
    },
  },
  {
    id: 'canceled',
    says: 'It stops when a post is refused because the run was canceled (410), and claims again',
    run: (scene) => stops(scene, (assigned) => (assigned.onPost = () => CANCELED)),
  },
  {
    id: 'claim-lost',
    says: 'It stops when a post is refused because the claim was lost (409), and claims again',
    run: (scene) => stops(scene, (assigned) => (assigned.onPost = () => LOST)),
  },
  {
    id: 'canceled-meanwhile',
    says: 'It stops when a heartbeat is refused, and claims again',
    run: (scene) =>
      stops(scene, (assigned) => {
        hold(assigned, SHORT_LEASE);
        assigned.onBeat = () => CANCELED;
      }),
  },
  {
    id: 'server-away',
    says: 'It comes back by itself after the server was away',
    run: async (scene) => {
      await scene.judge.close();
      await sleep(3000);
      await scene.judge.open();
      well(await playRun(scene));
    },
  },
  {
    id: 'killed',
    says: 'After it was killed, a new one answers the message anew',
    needsProgram: true,
    run: async (scene, program) => {
      const request = requestOf(scene, [{ role: 'user', id: 'u1', content: scene.message }], null);
      const assigned = scene.judge.offer({ request, leaseSeconds: 30 });
      await inTime(assigned.begun, scene.patienceSeconds, 'No claim came');
      await program!.kill();
      scene.judge.clear();
      program!.start();
      well(await playRun(scene));
    },
  },
  {
    id: 'stopped',
    says: 'SIGTERM ends it, without a claim that it takes along',
    needsProgram: true,
    run: async ({ judge }, program) => {
      const before = judge.claims.length;
      await eventually(STOP_SECONDS, 'It does not claim', () => judge.claims.length > before);
      await inTime(program!.terminate(), STOP_SECONDS, 'It did not end on SIGTERM');
      const after = judge.claims.length;
      await sleep(1500);
      if (judge.claims.length > after)
        throw new Error('It claimed after it had ended: a part of it goes on.');
    },
  },
  {
    id: 'valid',
    says: 'Each of its requests was valid: path, key, body, order of batches',
    run: async ({ judge }) => {
      if (judge.faults.size > 0) throw new Error([...judge.faults].join('\n'));
    },
  },
];

const ODD = 'naïve 日本語 👩‍👩‍👧 \u202e \u0000 \ud800 "quoted" \\ \n\n{"steps": [';
const ODD_HISTORY: NonNullable<RunToPlay['history']> = [
  { role: 'system', content: 'The chat was shortened.' },
  {
    role: 'user',
    id: 'u0',
    content: ODD,
    files: [{ media_type: 'image/png', url: 'data:image/png;base64,iVBORw0KGgo=' }],
  },
  {
    role: 'assistant',
    id: 'r0/m1',
    parts: [
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: ODD },
      { type: 'tool_call', call: 'c0', tool: 'read', input: { path: ODD } },
    ],
  },
  { role: 'tool', call: 'c0', tool: 'read', output: null, failed: true },
  { role: 'assistant', id: 'r0/m2', parts: [] },
];

function well(run: PlayedRun): PlayedRun {
  if (run.last.type === 'fail') throw new Error(`It failed with ${run.last.code}: ${run.last.error}`);
  return run;
}

/** The first batch is answered with the fault; it must come again, and the answer must be whole. */
async function repeated(scene: Scene, fault: Fault, what: string): Promise<void> {
  const wrong = new Set(scene.judge.faults);
  let times = 0;
  await playRun(scene, {
    prepare: first((assigned) => {
      assigned.onPost = ({ seq, nth }) => {
        if (seq === 1) times = nth;
        return seq === 1 && nth === 1 ? fault : null;
      };
    }),
  });
  if (times < 2) throw new Error(`${what}, and it did not come again.`);
  const [worse] = [...scene.judge.faults].filter((each) => !wrong.has(each));
  if (worse !== undefined) throw new Error(worse);
}

/** After the refusal nothing more may come for the assignment, and the next one is taken. */
async function stops(scene: Scene, prepare: (assigned: Assigned) => void): Promise<void> {
  const { judge, patienceSeconds } = scene;
  const request = requestOf(scene, [{ role: 'user', id: 'u1', content: scene.message }], null);
  const assigned = judge.offer({ request, leaseSeconds: SHORT_LEASE });
  prepare(assigned);
  const refused: Refusal = await inTime(assigned.over, patienceSeconds, 'Nothing came that could be refused');
  await sleep(SHORT_LEASE * 1000);
  well(await playRun(scene));
  if (assigned.vain > 0)
    throw new Error(`After it was refused with ${refused.code}, ${assigned.vain} more requests came.`);
}

/** The first batch is answered late. */
function hold(assigned: Assigned, seconds: number): void {
  assigned.onPost = ({ seq, nth }) => (seq === 1 && nth === 1 ? { kind: 'hold', seconds } : null);
}

function first(prepare: (assigned: Assigned) => void): (assigned: Assigned) => void {
  let isFirst = true;
  return (assigned) => {
    if (isFirst) prepare(assigned);
    isFirst = false;
  };
}

async function eventually(seconds: number, otherwise: string, check: () => boolean): Promise<void> {
  const end = Date.now() + seconds * 1000;
  while (!check()) {
    if (Date.now() > end) throw new Error(`${otherwise} within ${seconds} s.`);
    await sleep(50);
  }
}
