// `npm run memory`: a project chat of 300 messages with 40 planted facts. Publishes how large the prompt of the next turn is, as a
// share of sending everything, and how many facts are in it or one lookup away. No model is asked, so the summaries are
// extracted, and nobody judges: a fact's value is in a text or it is not.

import { randomUUID } from 'node:crypto';
import type { NewEvent } from '@continuo/protocol';
import {
  agentStatePart,
  bind,
  createPool,
  EMPTY,
  foldAll,
  historyAfterSummary,
  INSERT,
  lookBackTool,
  memoryWork,
  shownHistory,
  summarizerEvents,
  summaryPart,
  type LiveCallContext,
  type StoredEvent,
} from '@continuo/server/internals';
import { createMigrated, startPostgres } from '../postgres.ts';

const TURNS = 150;
const MODEL = 'offline/demo';
const RULES = { model: null, turns: 20, characters: 5000, tokens: 16_000, summaryLines: 5 };
const WORKSPACE = '00000000-0000-7000-8000-000000000001';

interface Fact {
  readonly turn: number;
  readonly by: 'person' | 'agent' | 'tool';
  readonly text: string;
  readonly value: string;
  /** What somebody would ask later. */
  readonly question: string;
}

const SUBJECTS = (
  'caterer florist venue band photographer printer baker electrician insurer bus ' +
  'marquee generator speaker lighting website newsletter sponsor budget permit fireworks ' +
  'parking kitchen cloakroom toilets first-aid cleaner security playground projector microphone ' +
  'flags tickets wristbands programme map menu bar storage weather speech'
).split(' ');
const KINDS = ['phone extension', 'contract number', 'deposit', 'door code', 'contact'] as const;

/** Forty facts: most are said by people, some by the agent, some stand in tool results only. */
const FACTS: readonly Fact[] = SUBJECTS.map((subject, at) => {
  const kind = KINDS[at % KINDS.length]!;
  const value = kind === 'contact' ? `Ms Q${at}arrow` : `${kind[0]!.toUpperCase()}${7000 + at * 37}`;
  const by = at % 8 === 3 ? 'agent' : at % 8 === 6 ? 'tool' : 'person';
  const text = `The ${kind} of the ${subject} is ${value}.`;
  return { turn: 2 + Math.floor((at * (TURNS - 12)) / 40), by, text, value, question: `${kind} ${subject}` };
});

const FILLER = (
  'we could look at this again tomorrow and see whether the plan still holds or needs another round of thought ' +
  'because nothing about the garden seems urgent and everybody is happy to wait for the next meeting of the group'
).split(' ');

/** Sentences without facts, different in every turn. */
function filler(seed: number, words: number): string {
  const at = (n: number) => FILLER[(seed * 7 + n * (3 + (seed % 5))) % FILLER.length]!;
  return `${Array.from({ length: words }, (_, n) => at(n)).join(' ')}.`;
}

function saidIn(turn: number, by: Fact['by']): string {
  return FACTS.filter((fact) => fact.turn === turn && fact.by === by)
    .map(({ text }) => text)
    .join(' ');
}

/** The events of a turn: a message, in every third turn a call with a long result, and the answer. */
function eventsOf(turn: number): { readonly run: string; readonly events: readonly NewEvent[] } {
  const run = randomUUID();
  const text = `${saidIn(turn, 'agent')} ${filler(turn + 1, 40)}`.trim();
  const result = saidIn(turn, 'tool');
  const hasCall = turn % 3 === 0 || result !== '';
  const output = `${filler(turn, 60)}\n${filler(turn + 3, 200)}\n${result}\n${filler(turn + 5, 150)}`;
  const call: NewEvent[] = [
    {
      type: 'message_end',
      data: {
        message: 'm1',
        text: '',
        ended: 'complete',
        model: MODEL,
        parts: [
          {
            kind: 'tool_call',
            callId: 'c1',
            tool: 'read',
            input: { kind: 'json', value: { path: `/notes/${turn}.md` } },
          },
        ],
      },
    },
    { type: 'tool_start', data: { tool: 'read', call: 'c1', input: { path: `/notes/${turn}.md` } } },
    { type: 'tool_end', data: { tool: 'read', call: 'c1', output: { text: output }, success: true } },
  ];
  return {
    run,
    events: [
      { type: 'state', data: { status: 'running', attempt: 1 } },
      {
        type: 'message',
        data: {
          id: randomUUID(),
          role: 'user',
          content: `${saidIn(turn, 'person')} ${filler(turn, 30)}`.trim(),
        },
      },
      ...(hasCall ? call : []),
      {
        type: 'message_end',
        data: { message: 'm2', text, ended: 'complete', model: MODEL, parts: [{ kind: 'text', text }] },
      },
      { type: 'state', data: { status: 'done' } },
    ],
  };
}

const postgres = await startPostgres();
try {
  const url = await createMigrated(postgres, 'memory');
  const pool = createPool({ connection: url, applicationName: 'memory', leaseSeconds: 30 }, () => undefined);
  try {
    await measure(pool);
  } finally {
    await pool.end();
  }
} finally {
  await postgres.stop();
}

async function measure(pool: ReturnType<typeof createPool>): Promise<void> {
  const threadId = randomUUID();
  await pool.query('insert into threads (id, workspace_id) values ($1, $2)', [threadId, WORKSPACE]);
  let state = EMPTY;
  const append = async (runId: string | null, events: readonly NewEvent[]) => {
    const first = state.seq;
    const rows = events.map((event, at) => ({
      ...event,
      threadId,
      seq: first + at + 1,
      runId,
      runSeq: runId === null ? null : at + 1,
      attempt: 1,
      json: JSON.stringify(event.data),
      at: new Date(),
    })) as StoredEvent[];
    await pool.query(INSERT, [...bind(rows), null]);
    state = foldAll(state, rows);
  };
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const { run, events } = eventsOf(turn);
    await append(run, events);
    const work = memoryWork(state, RULES);
    if (work)
      await append(
        null,
        summarizerEvents(state, work, { now: Date.now(), sessionId: threadId, answer: null }),
      );
  }

  const shown = historyAfterSummary(state.history, state.memory);
  const history = shownHistory(shown, {
    runId: 'next',
    summaryLines: 5,
    budget: null,
    maskOver: RULES.tokens,
  });
  const parts = [summaryPart(state.memory), agentStatePart(state.memory)].flatMap((part) =>
    part ? [part.text] : [],
  );
  const tokens = history.tokens + parts.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);
  // What was said and read, without any of the measures.
  const everything = state.history.reduce(
    (sum, { entry }) => sum + Math.ceil(JSON.stringify(entry).length / 4),
    0,
  );
  const prompt = [...parts, JSON.stringify(history.messages)].join('\n');
  const inPrompt = FACTS.filter(({ value }) => prompt.includes(value));
  const missing: Fact[] = [];
  let found = 0;
  for (const fact of FACTS) {
    if (inPrompt.includes(fact)) continue;
    if ((await lookUp(pool, threadId, fact.question)).includes(fact.value)) found += 1;
    else missing.push(fact);
  }
  const shortened = shownHistory(state.history, { runId: 'next', summaryLines: 5, budget: null }).tokens;
  const { memory } = state;
  process.stdout.write(
    `${2 * TURNS} messages, ${memory.versions} summaries, the last with ${memory.summaries.at(-1)?.data.tokens.summary} tokens\n` +
      `prompt: ${tokens} tokens; everything: ${everything} tokens; share: ${((100 * tokens) / everything).toFixed(1)} %\n` +
      `of everything with shortened results (${shortened} tokens): ${((100 * tokens) / shortened).toFixed(1)} %\n` +
      `facts: ${inPrompt.length} of ${FACTS.length} in the prompt, ${found} one lookup away, ${missing.length} lost\n`,
  );
  for (const { text, by, turn } of missing) process.stdout.write(`lost: ${text} (${by}, turn ${turn})\n`);
  if (tokens > 0.4 * everything || missing.length > 0) process.exitCode = 1;
}

async function lookUp(pool: ReturnType<typeof createPool>, threadId: string, query: string): Promise<string> {
  const tool = lookBackTool(pool);
  if (tool.effect === 'transactional') throw new Error('look_back is pure');
  const context = { threadId, runId: randomUUID() } as LiveCallContext;
  return JSON.stringify(await tool.run({ query, offset: 0 }, context));
}
