// One answer. What it yields is stored and shown at once. A call of a tool ends the answer: the server makes the call, under its
// policies and approvals, and then asks for the next answer, with the result.

import { finish, toolCall, type Task, type ExecutorEvent } from '@continuo/client/worker';

const PATH = '/notes/greetings.md';

export async function* answer({ history, state, results }: Task): AsyncGenerator<string | ExecutorEvent> {
  const said = lastMessage(history);
  // The state is what the last answer of this chat gave to finish(); it survives this process.
  const greeted = typeof state === 'number' ? state : 0;

  if (results.length === 0) {
    yield 'I write that down. ';
    yield toolCall('write', { path: PATH, content: `${greeted + 1}: ${said}\n` });
    return yield finish({ state: greeted });
  }
  const [result] = results;
  yield result?.failed ? 'I could not write it.' : `You said "${said}". That was message ${greeted + 1}.`;
  yield finish({ state: greeted + 1 });
}

function lastMessage(history: Task['history']): string {
  const last = history.findLast(({ role }) => role === 'user');
  return last?.role === 'user' ? last.content : '';
}
