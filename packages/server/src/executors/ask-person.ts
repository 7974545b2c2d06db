// ask_person: asks a person a question in the middle of an executor's work, for example when a graph interrupts itself. The answer
// is the result of the call, which the next assignment has in its history.

import { z } from 'zod';
import { ToolFailure, type Tool } from '../tools/tool.ts';

/** The most characters of a question, and bytes of the schema of its answer. */
const QUESTION_CHARACTERS = 4000;
const SCHEMA_BYTES = 16 * 1024;

const input = z.object({
  question: z.string().trim().min(1).max(QUESTION_CHARACTERS),
  schema: z
    .looseObject({ type: z.literal('object') })
    .optional()
    .describe('A flat JSON Schema of the answer, for a form; one field `answer` with text if absent'),
});
type Input = z.infer<typeof input>;

const TEXT = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] };

export const askPerson: Tool<Input> = {
  name: 'ask_person',
  description:
    'Asks a person a question, and waits for the answer. The result is `answered` with the answer, `declined` or `dismissed`.',
  // After a crash the question is asked again.
  effect: 'pure',
  elsewhere: true,
  input,
  words: ({ question }) => `Asks: ${question.slice(0, 200)}`,
  async run({ question, schema = TEXT }, call) {
    if (Buffer.byteLength(JSON.stringify(schema)) > SCHEMA_BYTES)
      throw new ToolFailure(`the schema of the answer may have at most ${SCHEMA_BYTES} bytes`);
    const answer = await call.ask({ text: question, schema });
    return answer.kind === 'answered'
      ? { answered: true, answer: answer.content }
      : { answered: false, why: answer.kind };
  },
};
