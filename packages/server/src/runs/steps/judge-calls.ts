// Judges calls by the policies: a denied call ends, a call that needs approval is asked for, and the others may run. A call that a
// person is to be asked about is validated first: if it cannot be made, it ends with the reason, and nobody is asked.

import { v7 as uuidv7 } from 'uuid';
import type { ApprovalKind, Call, PolicyRule } from '@continuo/protocol';
import { rulesOfMode } from '../../context/mode.ts';
import { hasReadUntrusted } from '../../context/untrusted.ts';
import type { Entry } from '../../log/group.ts';
import { readPolicy } from '../../workspaces/policies.ts';
import { judge, normalPath, type Verdict } from '../../tools/policy.ts';
import type { AnyTool } from '../../tools/registry.ts';
import { ToolFailure } from '../../tools/tool.ts';
import type { LoopChange } from '../changes.ts';
import { aboutCall, trackSecrets } from './about-call.ts';
import { ended, toWireInput } from './call-values.ts';
import { isRepeatable, type Checked, type CheckedCall } from './check-calls.ts';
import { rehearse, type Rehearsal } from './rehearse.ts';
import type { StepContext } from './step.ts';

/** Returns the calls that may run now. For the others, appends a denial or an approval request. */
export async function withoutRefused(
  context: StepContext,
  calls: readonly CheckedCall[],
): Promise<readonly CheckedCall[]> {
  const { hold, pen, options, workspaceId } = context;
  if (hold.draining || context.canceled.aborted) return [];
  if (!calls.some(({ call, checked }) => needsVerdict(call, checked))) return calls;
  const rules: ReadRules = {
    workspace: (await readPolicy(options.pool, workspaceId)) ?? [],
    afterUntrusted: hasReadUntrusted(context),
  };
  const refused: Entry[] = [];
  const changes: LoopChange[] = [];
  const allowed: CheckedCall[] = [];
  /** An earlier call of the message may still change what the next ones find. */
  let isChanging = false;
  for (const each of calls) {
    const { call, checked } = each;
    const verdict = checked.ok && needsVerdict(call, checked) ? verdictOn(context, checked, rules) : null;
    if (!verdict || !checked.ok) {
      allowed.push(each);
    } else if (call.stage.kind === 'started') {
      if (verdict.action === 'ask')
        ask(context, each, { kind: 'unknown_outcome', reason: UNKNOWN }, refused, changes);
      else allowed.push(each);
    } else if (verdict.action === 'allow' || (verdict.action === 'ask' && call.stage.kind === 'allowed')) {
      allowed.push(each);
    } else if (verdict.action === 'deny') {
      const error = `denied: ${verdict.reason}. Nothing was done. Do not repeat the call: continue without it, or say what you need`;
      refused.push(ended(context, call, { output: { error }, success: false, outcome: 'denied' }));
      continue;
    } else {
      const found = isChanging ? ({ kind: 'unknown' } as const) : await validate(context, each, rules);
      if (found.kind === 'refused') {
        const error = `${found.problem}. Nothing was done, and nobody was asked to approve the call. Correct it, or continue without it`;
        refused.push(ended(context, call, { output: { error }, success: false }));
        continue;
      }
      ask(context, each, { kind: 'call', ...whatIsAsked(verdict.reason, found) }, refused, changes);
    }
    isChanging ||= checked.ok && checked.tool.effect !== 'pure';
  }
  if (refused.length > 0) await pen.append(refused, changes);
  return allowed;
}

interface ReadRules {
  readonly workspace: readonly PolicyRule[];
  readonly afterUntrusted: boolean;
}

interface JudgedTool {
  readonly tool: Pick<AnyTool, 'name' | 'effect' | 'like'>;
  readonly paths: readonly string[];
}

function verdictOn(
  { agent, mode }: StepContext,
  { tool: { name: tool, effect, like }, paths }: JudgedTool,
  { workspace, afterUntrusted }: ReadRules,
): Verdict {
  return judge(
    { tool, effect, like, paths, afterUntrusted },
    { workspace, role: agent.permissions, mode: rulesOfMode(mode) },
  );
}

/**
 * Whether the call could be made now. A call that is not transactional is only checked, by its tool. A call
 * that touches files that the model may not read is not validated: the outcome would tell the model about them.
 */
async function validate(
  context: StepContext,
  { call, checked }: CheckedCall,
  rules: ReadRules,
): Promise<Rehearsal> {
  if (!checked.ok) return { kind: 'unknown' };
  const { tool, input, paths } = checked;
  const reading = { name: 'read', effect: 'pure' } as const;
  if (verdictOn(context, { tool: reading, paths }, rules).action !== 'allow') return { kind: 'unknown' };
  const about = aboutCall(context, call, context.interrupted, trackSecrets(context));
  if (tool.effect === 'transactional')
    return rehearse(context.options.pool, { tool, input, about }, () => context.interrupted.aborted);
  try {
    await tool.check?.(input, about);
  } catch (error) {
    if (error instanceof ToolFailure) return { kind: 'refused', problem: error.message };
  }
  return { kind: 'unknown' };
}

/** What a person is told and asked about a validated call. */
function whatIsAsked(reason: string, found: Rehearsal): { readonly reason: string; readonly files?: string } {
  if (found.kind !== 'possible') return { reason };
  const { changes, files } = found;
  return { reason: changes > 1 ? `${reason}. It changes ${changes} files and entities` : reason, files };
}

const UNKNOWN =
  'the call was started, and the server stopped before it learned the outcome; should the call be made again?';

/** A call that has not started, or one that an earlier attempt started and only a person can allow to repeat. */
function needsVerdict(call: Call, checked: Checked): boolean {
  if (!checked.ok) return false;
  return isToStart(call) || (call.stage.kind === 'started' && !isRepeatable(checked));
}

/** The call has not started, or a person allowed it to start again. */
export function isToStart({ stage }: Call): boolean {
  return stage.kind === 'requested' || stage.kind === 'allowed';
}

/** Adds an approval request to the entries and changes. Returns its id. */
export function ask(
  { queued, options, workspaceId }: StepContext,
  { call, input: given, checked }: CheckedCall,
  {
    kind,
    reason,
    files,
    schema,
  }: {
    readonly kind: ApprovalKind;
    readonly reason: string;
    readonly files?: string;
    readonly schema?: Readonly<Record<string, unknown>>;
  },
  entries: Entry[],
  changes: LoopChange[],
): string {
  const paths = checked.ok ? [...new Set(checked.paths.map(normalPath))] : [];
  const expires_at =
    options.approvalMs === null ? null : new Date(options.now() + options.approvalMs).toISOString();
  const asked = { call: call.call, tool: call.tool, paths, reason };
  const id = uuidv7();
  const input = toWireInput(given);
  changes.push({
    kind: 'approval',
    event: entries.length,
    id,
    workspace: workspaceId,
    subkind: kind,
    input: schema ?? input,
    expires_at,
    ...asked,
  });
  const data = {
    approval: id,
    kind,
    input,
    ...asked,
    ...(schema && { schema }),
    ...(files !== undefined && { files }),
    ...(expires_at !== null && { expires_at }),
  };
  entries.push({ runId: queued.id, event: { type: 'approval', data } });
  return id;
}
