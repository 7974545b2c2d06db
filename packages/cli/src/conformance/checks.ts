// What every executor must do, whatever it writes. Each check puts an executor into one situation, and throws an error with a sentence
// if the executor misbehaves.

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
    run: async ({ server, patienceSeconds }, program) => {
      await eventually(patienceSeconds, 'No claim came', () => {
        program?.assertStarted();
        return server.claims.length > 0;
      });
      await eventually(patienceSeconds, 'It claimed once, and not again', () => server.claims.length > 1);
      const before = server.claims.length;
      await sleep(IDLE_SECONDS * 1000);
      const claims = server.claims.length - before;
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
    says: 'It accepts server notes, files, reasoning, odd characters and unknown fields',
    run: async (scene) =>
      void (await playRun(scene, { history: ODD_HISTORY, content: `${scene.message} ${ODD}` })),
  },
  {
    id: 'lost-response',
    says: 'It repeats a batch whose response was lost, with the same number and the same events',
    run: (scene) => repeated(scene, { kind: 'cut' }, 'The response to a batch was cut off'),
  },
  {
    id: 'busy-server',
    says: 'It repeats a batch that a busy server did not accept (503)',
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
    says: 'It reconnects by itself after the server was away',
    run: async (scene) => {
      await scene.server.close();
      await sleep(3000);
      await scene.server.open();
      well(await playRun(scene));
    },
  },
  {
    id: 'killed',
    says: 'After it was killed, a new one answers the message from the beginning',
    needsProgram: true,
    run: async (scene, program) => {
      const request = requestOf(scene, [{ role: 'user', id: 'u1', content: scene.message }], null);
      const assigned = scene.server.offer({ request, leaseSeconds: 30 });
      await inTime(assigned.begun, scene.patienceSeconds, 'No claim came');
      await program!.kill();
      scene.server.clear();
      program!.start();
      well(await playRun(scene));
    },
  },
  {
    id: 'stopped',
    says: 'It ends on SIGTERM, and leaves no claim behind',
    needsProgram: true,
    run: async ({ server }, program) => {
      const before = server.claims.length;
      await eventually(STOP_SECONDS, 'It does not claim', () => server.claims.length > before);
      await inTime(program!.terminate(), STOP_SECONDS, 'It did not end on SIGTERM');
      const after = server.claims.length;
      await sleep(1500);
      if (server.claims.length > after)
        throw new Error('It claimed after it had ended: one of its processes still runs.');
    },
  },
  {
    id: 'valid',
    says: 'Each of its requests was valid: path, key, body, order of batches',
    run: async ({ server }) => {
      if (server.faults.size > 0) throw new Error([...server.faults].join('\n'));
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

/** The first batch is answered with the fault; the executor must repeat it, and the answer must be complete. */
async function repeated(scene: Scene, fault: Fault, what: string): Promise<void> {
  const wrong = new Set(scene.server.faults);
  let times = 0;
  await playRun(scene, {
    prepare: first((assigned) => {
      assigned.onPost = ({ seq, nth }) => {
        if (seq === 1) times = nth;
        return seq === 1 && nth === 1 ? fault : null;
      };
    }),
  });
  if (times < 2) throw new Error(`${what}, and the executor did not repeat the batch.`);
  const [worse] = [...scene.server.faults].filter((each) => !wrong.has(each));
  if (worse !== undefined) throw new Error(worse);
}

/** After the refusal, the executor may send nothing more for the assignment, and must claim the next one. */
async function stops(scene: Scene, prepare: (assigned: Assigned) => void): Promise<void> {
  const { server, patienceSeconds } = scene;
  const request = requestOf(scene, [{ role: 'user', id: 'u1', content: scene.message }], null);
  const assigned = server.offer({ request, leaseSeconds: SHORT_LEASE });
  prepare(assigned);
  const refused: Refusal = await inTime(
    assigned.over,
    patienceSeconds,
    'It sent nothing that could be refused',
  );
  await sleep(SHORT_LEASE * 1000);
  well(await playRun(scene));
  if (assigned.requestsAfterRefusal > 0)
    throw new Error(
      `After it was refused with ${refused.code}, ${assigned.requestsAfterRefusal} more requests came.`,
    );
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
