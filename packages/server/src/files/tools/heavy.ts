// Runs CPU-heavy work of a call on a worker thread. Exceeding a limit is a failure that the model can act on.

import { TooMuchWork, workers } from '../../compute/pool.ts';
import { ToolFailure, type CallContext } from '../../tools/tool.ts';

type Run = typeof workers.run;

/** `what` and `instead` complete the failure: "comparing the versions took longer than 10 s and was stopped; read both". */
export async function heavyWork<Name extends Parameters<Run>[0]>(
  name: Name,
  input: Parameters<typeof workers.run<Name>>[1],
  context: Pick<CallContext, 'runId' | 'signal'>,
  {
    what,
    instead,
    mayNotEnd,
  }: { readonly what: string; readonly instead: string; readonly mayNotEnd?: true },
): ReturnType<typeof workers.run<Name>> {
  try {
    return await workers.run(name, input, { key: context.runId, signal: context.signal, mayNotEnd });
  } catch (error) {
    if (error instanceof TooMuchWork)
      throw new ToolFailure(`${what} ${error.message} and was stopped; ${instead}`);
    throw error;
  }
}
