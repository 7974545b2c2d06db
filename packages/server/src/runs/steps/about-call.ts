// What a tool is told about its call, and the secrets that the call reads.

import type { Call } from '@continuo/protocol';
import { withoutSecretsIn } from '../../workspaces/hidden-values.ts';
import { ToolFailure, type CallContext } from '../../tools/tool.ts';
import { SecretUnavailable } from '../../workspaces/secrets.ts';
import type { Notes } from './notes.ts';
import type { StepContext } from './step.ts';

export function aboutCall(
  context: StepContext,
  { call: callId }: Call,
  signal: AbortSignal,
  secrets: TrackedSecrets,
): Omit<CallContext, keyof Notes['context']> {
  const { workspaceId, hold, queued } = context;
  return {
    workspaceId,
    threadId: hold.threadId,
    runId: queued.id,
    callId,
    principal: queued.principal,
    key: `${queued.id}:${callId}`,
    signal,
    known: (fileId) => context.known(fileId),
    secret: (name) => secrets.read(name),
  };
}

export interface TrackedSecrets {
  read(name: string): Promise<string>;
  /** The output without the values that were read. */
  hide(output: Record<string, unknown>): Record<string, unknown>;
}

/** The secrets that a call reads: none of them gets into the log with its output. */
export function trackSecrets({ options, workspaceId }: StepContext): TrackedSecrets {
  const values: string[] = [];
  return {
    read: async (name) => {
      const value = await options.secrets.read(workspaceId, name).catch((error: unknown) => {
        throw error instanceof SecretUnavailable ? new ToolFailure(error.message) : error;
      });
      values.push(value);
      return value;
    },
    hide: (output) => withoutSecretsIn(output, values) as Record<string, unknown>,
  };
}
