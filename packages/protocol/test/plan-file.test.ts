import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkPlan,
  isPlanId,
  parsePlan,
  PLAN_EXECUTORS,
  PLAN_INTENTS,
  PLAN_STEP_STATUSES,
  printPlan,
  printStatuses,
  schemas,
  stepsOf,
  type AgentPlan,
  type PlanStepStatus,
} from '../src/index.ts';

const CAMPAIGN = `---
plan: campaign
goal: Launch the spring campaign
constraints:
  - Publish nothing before Friday
---

## Research (parallel)

- [ ] Research market trends {#trends}
  - intent: research
  - executor: research
  - tools: search, read
  - outputs: /content/trends.md
- [x] Research competitors {#competitors}
  - intent: research
  - executor: research

## Synthesis (sequence)

- [ ] Draft the post {#draft}
  - intent: draft
  - executor: writer
  - inputs: trends, competitors
  - outputs: /content/post.md
- [/] Review the post {#review}
  - intent: review
  - executor: seo-specialist
  - tools: none
`;

const PLAN: AgentPlan = {
  id: 'campaign',
  goal: 'Launch the spring campaign',
  constraints: ['Publish nothing before Friday'],
  stages: [
    {
      id: 'research',
      name: 'Research',
      mode: 'parallel',
      steps: [
        {
          id: 'trends',
          title: 'Research market trends',
          intent: 'research',
          executor: 'research',
          tools: ['search', 'read'],
          outputs: ['/content/trends.md'],
        },
        { id: 'competitors', title: 'Research competitors', intent: 'research', executor: 'research' },
      ],
    },
    {
      id: 'synthesis',
      name: 'Synthesis',
      mode: 'sequence',
      steps: [
        {
          id: 'draft',
          title: 'Draft the post',
          intent: 'draft',
          executor: 'writer',
          inputs: ['trends', 'competitors'],
          outputs: ['/content/post.md'],
        },
        { id: 'review', title: 'Review the post', intent: 'review', executor: 'seo-specialist', tools: [] },
      ],
    },
  ],
};
const STATUSES = new Map<string, PlanStepStatus>([
  ['trends', 'pending'],
  ['competitors', 'done'],
  ['draft', 'pending'],
  ['review', 'running'],
]);

function parsed(text: string) {
  const result = parsePlan(text);
  if (!result.ok) throw new Error(JSON.stringify(result.problems, null, 1));
  return result;
}

/** The matchers of vitest are slow for 10,000 plans. */
function expectSame({ plan: read, statuses }: Read, expected: Read): void {
  if (isDeepStrictEqual(read, expected.plan) && isDeepStrictEqual(statuses, expected.statuses)) return;
  expect({ plan: read, statuses }).toEqual(expected);
}

interface Read {
  readonly plan: AgentPlan;
  readonly statuses: ReadonlyMap<string, PlanStepStatus>;
}

function problems(text: string) {
  const result = parsePlan(text);
  return result.ok ? [] : result.problems.map(({ line, column, text: what }) => [line, column, what]);
}

const id = fc
  .oneof(
    fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/),
    fc.string({ minLength: 1, maxLength: 8, unit: 'binary' }),
  )
  .filter(isPlanId);
// Among the texts are those that Markdown, YAML or the form itself would read as something else.
const text = fc.oneof(
  fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' }),
  fc.string({ minLength: 1, maxLength: 20, unit: 'binary' }),
  fc
    .array(
      fc.constantFrom(
        'a',
        ' ',
        '"',
        "'",
        ',',
        '#',
        ':',
        '- ',
        '[x] ',
        '(parallel)',
        '{#id}',
        'none',
        '\n',
        '\r',
        '\\',
        '---',
        '```',
        '## ',
        '\u2028',
        'true',
        '1',
        ']',
        '[',
        '|',
        '\uFEFF',
        '\t',
      ),
      { minLength: 1, maxLength: 6 },
    )
    .map((pieces) => pieces.join('')),
);
const listed = fc.array(text, { maxLength: 3 });
const step = fc.record(
  {
    id,
    title: text,
    intent: fc.constantFrom(...PLAN_INTENTS),
    executor: fc.oneof(fc.constantFrom(...PLAN_EXECUTORS), text),
    tools: listed,
    inputs: listed,
    outputs: listed,
  },
  { requiredKeys: ['id', 'title', 'intent', 'executor'], noNullPrototype: true },
);
const stage = fc.record({
  id,
  name: text,
  mode: fc.constantFrom('parallel' as const, 'sequence' as const),
  steps: fc.array(step, { maxLength: 4 }),
});
const plan = fc
  .record(
    {
      id,
      goal: text,
      stages: fc.uniqueArray(stage, { maxLength: 4, selector: (each) => each.id }),
      constraints: fc.array(text, { maxLength: 3 }),
    },
    { requiredKeys: ['id', 'goal', 'stages'], noNullPrototype: true },
  )
  .map((each): AgentPlan => {
    const seen = new Set<string>();
    const isNew = (one: { readonly id: string }) => !seen.has(one.id) && Boolean(seen.add(one.id));
    return { ...each, stages: each.stages.map((one) => ({ ...one, steps: one.steps.filter(isNew) })) };
  });
const status = fc.constantFrom(...PLAN_STEP_STATUSES);
const withStatuses = fc.tuple(plan, fc.infiniteStream(status)).map(([each, stream]) => ({
  plan: each,
  statuses: new Map(stepsOf(each).map(({ id: stepId }) => [stepId, stream.next().value as PlanStepStatus])),
}));

describe('a plan’s file', () => {
  it('PLAN-4 is Markdown that reads as people would write it', () => {
    expect(printPlan(PLAN, STATUSES)).toBe(CAMPAIGN);
    expect(parsed(CAMPAIGN)).toMatchObject({ plan: PLAN, statuses: STATUSES });
    expect(schemas.agentPlan.parse(PLAN)).toEqual(PLAN);
  });

  it('PLAN-4 gives the same plan again for 10,000 generated ones', () => {
    fc.assert(
      fc.property(withStatuses, ({ plan: each, statuses }) => {
        expectSame(parsed(printPlan(each, statuses)), { plan: each, statuses });
      }),
      { numRuns: 10_000 },
    );
  });

  it('PLAN-4 has fewer characters than the same plans as JSON', () => {
    const plans = fc.sample(plan, { numRuns: 1000, seed: 1 });
    const length = (texts: readonly string[]) => texts.join('').length;
    expect(length(plans.map((each) => printPlan(each)))).toBeLessThan(
      length(plans.map((each) => JSON.stringify(each))),
    );
  });

  it('PLAN-4 gives the new plan when it is written over any other plan', () => {
    fc.assert(
      fc.property(withStatuses, withStatuses, (one, other) => {
        expectSame(parsed(printPlan(other.plan, other.statuses, printPlan(one.plan, one.statuses))), other);
      }),
      { numRuns: 500 },
    );
  });

  it('PLAN-4 keeps text that is no part of the plan, and Windows’ line ends', () => {
    const edited = CAMPAIGN.replace('goal:', 'owner: Ada # of marketing\ngoal:')
      .replace('## Research', 'Why: *last year* was late.\n\n```md\n- [ ] not a step\n```\n\n## Research')
      .replace('  - tools: search', '  - note: ask Ben\n  - [ ] a box inside a step\n  - tools: search')
      .replace('## Synthesis', 'Both take a day.\n\n## Notes\n\nNothing yet.\n\n## Synthesis')
      .replaceAll('\n', '\r\n');
    expect(parsed(edited).plan).toEqual(PLAN);
    expect(printStatuses(edited, STATUSES)).toBe(edited);
    const ticked = printStatuses(edited, new Map([['trends', 'failed']]));
    expect(ticked).toBe(edited.replace('- [ ] Research market', '- [!] Research market'));
    const [research, synthesis] = PLAN.stages;
    const [trends, competitors] = research!.steps;
    const changed = {
      ...PLAN,
      stages: [synthesis!, { ...research!, steps: [competitors!, { ...trends!, title: 'Trends' }] }],
    };
    const printed = printPlan(changed, STATUSES, edited);
    expect(parsed(printed).plan).toEqual(changed);
    for (const kept of [
      'owner: Ada # of marketing',
      'Why: *last',
      'not a step',
      'ask Ben',
      'a box inside',
      'a day.',
      '## Notes',
    ])
      expect(printed).toContain(kept);
    expect(printPlan({ ...PLAN, stages: [] }, new Map(), edited)).toContain('## Notes');
  });

  it('PLAN-4 may be a bare checklist: goal from the heading, ids from titles, a sequence', () => {
    const bare = '# Tidy up\n\n## Work\n\n1. [ ] Remove old files\n2. [X] Say so\n';
    const { plan: read, statuses } = parsed(bare);
    expect(read).toMatchObject({ id: 'plan', goal: 'Tidy up' });
    expect(read.stages).toMatchObject([
      {
        id: 'work',
        mode: 'sequence',
        steps: [
          { id: 'remove-old-files', intent: 'update', executor: 'planner' },
          { id: 'say-so', title: 'Say so' },
        ],
      },
    ]);
    expect([...statuses.values()]).toEqual(['pending', 'done']);
  });

  it('PLAN-4 names each mistake with its line and column', () => {
    const wrong = CAMPAIGN.replace('(parallel)', '(paralel)')
      .replace('[x]', '[v]')
      .replace('intent: draft', 'intent: dance')
      .replace('{#review}', '{#draft}')
      .replace('goal: Launch the spring campaign', 'goal:');
    expect(problems(wrong)).toEqual([
      [3, 6, expect.stringContaining('no goal')],
      [8, 13, expect.stringContaining('“(paralel)” is not a mode')],
      [15, 3, expect.stringContaining('“[v]” is not a status')],
      [22, 13, expect.stringContaining('“dance” is not an intent')],
      [26, 3, expect.stringContaining('line 21 has the id “draft”')],
    ]);
    expect(problems('- [ ] Alone\n')).toMatchObject([
      [1, 1, expect.stringContaining('in no stage')],
      [1, 1, expect.stringContaining('no goal')],
    ]);
  });

  it('PLAN-4 refuses a file of more than 1,048,576 characters, and names the first 100 of its mistakes', () => {
    const text = '# Goal\n\n## Work (sequence)\n\n- [ ] Begin\n';
    const long = (characters: number) => `${text}\n${'x'.repeat(characters - text.length - 1)}`;
    expect(parsePlan(long(1_048_576)).ok).toBe(true);
    expect(parsePlan(long(1_048_577))).toEqual({
      ok: false,
      problems: [
        {
          line: 1,
          column: 1,
          text: 'The file has 1048577 characters; a plan may have at most 1048576.',
        },
      ],
    });
    const steps = Array.from({ length: 150 }, (_, index) => `- [zz] Step ${index}`).join('\n');
    const parsed = parsePlan(`# Goal\n\n## Work (sequence)\n\n${steps}\n`);
    const problems = parsed.ok ? [] : parsed.problems;
    expect(problems).toHaveLength(101);
    expect(problems.at(-1)).toMatchObject({ line: 105, text: 'There are 50 more problems.' });
  });

  it('PLAN-1 names unknown inputs, cycles, later stages, roles and tools that do not exist', () => {
    const { plan: read, positions } = parsed(
      CAMPAIGN.replace('  - outputs: /content/trends.md', '  - inputs: competitors, draft, nobody').replace(
        'research\n\n## Syn',
        'research\n  - inputs: trends\n\n## Syn',
      ),
    );
    const known = { roles: new Set(['coder']), tools: new Set(['read']) };
    const found = checkPlan(read, known, positions);
    expect(found.map(({ line, column, text: what }) => `${line}:${column} ${what}`)).toMatchInlineSnapshot(`
      [
        "13:12 There is no tool “search”.",
        "14:13 Step “trends” waits for “draft” of a later stage, “Synthesis”: stages run in order.",
        "14:13 Step “trends” waits for “nobody”, which is not a step of this plan.",
        "14:13 These steps wait for each other: “trends” waits for “competitors” waits for “trends”.",
        "29:15 There is no role “seo-specialist”: use planner, research, writer, editor, tooling or one of the roles coder.",
      ]
    `);
    expect(checkPlan(PLAN, { roles: null, tools: null })).toEqual([]);
  });

  it('PLAN-1 checks a chain of 2,000 steps, and finds that it is closed', () => {
    const steps = Array.from({ length: 2000 }, (_, index) => ({
      id: `s${index}`,
      title: 'Work',
      intent: 'update' as const,
      executor: 'planner',
      inputs: [`s${(index + 1999) % 2000}`],
    }));
    const chain = (of: typeof steps): AgentPlan => ({ ...PLAN, stages: [{ ...PLAN.stages[0]!, steps: of }] });
    expect(
      checkPlan(chain(steps.map((each, index) => (index === 0 ? { ...each, inputs: [] } : each))), {
        roles: null,
        tools: null,
      }),
    ).toEqual([]);
    expect(checkPlan(chain(steps), { roles: null, tools: null })).toHaveLength(1);
  });
});
