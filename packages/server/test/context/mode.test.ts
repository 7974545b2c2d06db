// Which mode the rules choose.

import { expect, test } from 'vitest';
import { decideMode } from '../../src/context/mode.ts';

test.for([
  ['act', 'Create a task for the launch.'],
  ['act', 'please add the risk that we run out of fuel'],
  ['act', 'Could you update the research document with this?'],
  ['act', 'The launch moved to May. Reschedule the milestone.'],
  ['act', 'What is left to do? Then write a plan for it.'],
  ['act', 'I’d like you to draft an overview of the project'],
  ['act', 'Great, and now rename it to Apollo'],
  ['act', 'Hello, create a task'],
  ['act', '@agent add a milestone'],
  ['act', '- create one task\n- create another one'],
  ['act', '{"steps": []}'],
  ['inform', 'What does the research say about craters?'],
  ['inform', 'Which tasks are open?'],
  ['inform', 'How do I create a task here?'],
  ['inform', 'Summarize the risks'],
  ['inform', 'Don’t change anything: what would you write there?'],
  ['clarify', 'Maybe we need a second launch pad'],
  ['clarify', 'Should we create a task for that?'],
  ['clarify', 'I am thinking about a plan for the landing'],
  ['clarify', 'What if we delete the old documents?'],
  ['clarify', 'just thinking aloud, do not write anything'],
] as const)('CTX-3 the mode is %s for: %s', ([mode, message]) => {
  expect(decideMode(message, false)).toMatchObject({ mode, by: 'rules' });
});

test('CTX-3 a question that may be a request, as it may in any language, leaves the decision to the model', () => {
  const asked = ['Would you mind adding a task?', 'Any chance of a task for that?'];
  const inOtherLanguages = [
    'Kannst du bitte eine Aufgabe anlegen?',
    '¿Puedes crear una tarea?',
    'タスクを作成してくれますか？',
  ];
  for (const message of [...asked, ...inOtherLanguages])
    expect(decideMode(message, true)).toMatchObject({ mode: 'inform', by: 'default' });
});

test('CTX-3 in doubt the mode is clarify, and a consent is an act only after an answer', () => {
  for (const message of ['The lander.', 'Bitte leg eine Aufgabe an.', '', '👍', 'yes', 'a '.repeat(100_000)])
    expect(decideMode(message, false)).toMatchObject({ mode: 'clarify', by: 'default' });
  expect(decideMode('Yes, do it', true)).toMatchObject({ mode: 'act', by: 'rules' });
  expect(decideMode('Go ahead.', true)).toMatchObject({ mode: 'act', by: 'rules' });
});
