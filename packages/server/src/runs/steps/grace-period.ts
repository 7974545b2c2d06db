// The grace period of a running call after its run was canceled. Then the call is aborted, and the step does not wait for it.

import { Lost } from '../../log/pen.ts';
import type { AnyTool } from '../../tools/registry.ts';
import { ToolFailure } from '../../tools/tool.ts';
import type { StepContext } from './step.ts';

export class Overdue extends ToolFailure {
  override readonly message = 'the call did not end within its grace period after the run was canceled';
}

export type GracePeriod = ReturnType<typeof graceAfterCancel>;

export function graceAfterCancel({ canceled, hold, options }: StepContext, { graceMs }: AnyTool) {
  const stop = new AbortController();
  let timer: NodeJS.Timeout | null = null;
  const overdue = new Promise<never>((_, reject) => {
    stop.signal.addEventListener('abort', () =>
      reject(hold.lost.aborted ? new Lost('the thread was lost') : new Overdue()),
    );
  });
  overdue.catch(() => undefined);
  const patience = graceMs ?? options.cancelGraceMs;
  const onCancel = () => (timer = setTimeout(() => stop.abort(), patience));
  const onLost = () => stop.abort();
  canceled.addEventListener('abort', onCancel);
  hold.lost.addEventListener('abort', onLost);
  if (canceled.aborted) onCancel();
  if (hold.lost.aborted) onLost();
  return {
    signal: stop.signal,
    within: <T>(work: Promise<T>): Promise<T> => Promise.race([work, overdue]),
    end: () => {
      if (timer) clearTimeout(timer);
      canceled.removeEventListener('abort', onCancel);
      hold.lost.removeEventListener('abort', onLost);
    },
  };
}
