// How a program answers its parent: a question is an operation's name with its arguments, an answer its value.

export type Operations = Readonly<Record<string, (args: never) => unknown>>;

interface Question {
  readonly id: number;
  readonly operation: string;
  readonly args: unknown;
}

/** Says that the program is ready, answers what it is asked, and ends when its parent is gone. */
export function answer(ready: unknown, operations: Operations): void {
  process.on('message', (question: Question) => void reply(question, operations));
  process.on('disconnect', () => process.exit(0));
  process.send!({ ready });
}

export async function reply(
  { id, operation, args }: Question,
  operations: Readonly<Record<string, (args: never) => unknown>>,
): Promise<void> {
  try {
    const run = operations[operation];
    if (!run) throw new Error(`there is no operation ${operation}`);
    process.send!({ id, value: await run(args as never) });
  } catch (error) {
    process.send!({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}
