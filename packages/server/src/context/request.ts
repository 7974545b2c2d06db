// Everything that one model call sends, as parts with their sources. `assembleRequest` is the only place where a run's requests
// are built. The parts are in the order in which they are sent, the stable ones first: providers cache the beginning of a request
// that they have seen before.
//
// 1. `system` changes only when its sources change. What is only for this turn is in `turn`, right before the message to answer.
// 2. A request depends on its sources alone, never on what a cache happened to hold.

import { currentSummary, type AgentState, type PolicyRule, type ThreadScope } from '@continuo/protocol';
import type { Agent } from '../agents/agent.ts';
import type { Queryable } from '../db/pool.ts';
import type { HistoryMessage, ModelRequest, ToolSchema } from '../models/model.ts';
import { contextLimitOf } from '../models/prices.ts';
import type { ThreadState } from '../threads/fold.ts';
import { agentStatePart } from './agent-state.ts';
import { estimateText } from './history.ts';
import { withImages } from './attachments.ts';
import { tokensOfTools, toolsWithinBudget } from './budgets.ts';
import type { ModeDecision } from './mode.ts';
import type { ContextPack } from './pack.ts';
import { shownHistory } from './history.ts';
import { markUntrusted } from './untrusted.ts';
import { describeSkills } from './skills.ts';
import { historyAfterSummary, omittedAfterSummary, summaryPart } from './summary.ts';
import { firstHistory, isBeyondWindow, shorterHistory, type FittedHistory } from './fitting.ts';

/** Where a part's text comes from. */
type PartSource =
  /** A text without a version that could be read again, such as a prompt layer. */
  | { readonly kind: 'text'; readonly name: string }
  | { readonly kind: 'file'; readonly id: string; readonly version: number; readonly path: string }
  | { readonly kind: 'entity'; readonly id: string; readonly version: number }
  /** The doc structure of a project. */
  | { readonly kind: 'structure'; readonly id: string; readonly version: number }
  /** Folded from the thread's log, up to this event. */
  | { readonly kind: 'event'; readonly seq: number };

type PartKind =
  /** What a model is to do apart from conversations, such as a title. */
  | 'task'
  /** The layers of the system prompt. */
  | 'base'
  | 'scope'
  | 'documents'
  | 'tools'
  | 'verification'
  /** What the role and the workspace tell every model. */
  | 'role'
  | 'guide'
  | 'skill'
  /** What the thread is about. */
  | 'structure'
  | 'project'
  | 'entity'
  /** For one turn. */
  | 'mode'
  | 'activity'
  | 'document'
  /** What the conversation came to. */
  | 'summary'
  | 'agent_state';

export interface ContextPart {
  readonly kind: PartKind;
  readonly text: string;
  readonly source: PartSource;
  /** Only of a document: the titles from the root of the structure to it, which its file does not tell. */
  readonly titles?: readonly string[];
}

/** Something that would have been in the request, and why it is not. */
export interface LeftOut {
  readonly what: string;
  readonly why: string;
  /** An estimate. */
  readonly tokens: number;
}

/** How the messages of a request follow from the log. */
export interface HistoryRecipe {
  /** The event of the summary that stands for older messages; null: there was none. */
  readonly summary: number | null;
  /** How many entries of the history after it were looked at: the latest ones. */
  readonly held: number;
  /** How many messages were sent of them: the latest ones. */
  readonly sent: number;
  readonly summary_lines: number;
  readonly mask_over: number;
  /** The messages that were sent: an estimate, without the ratio. */
  readonly tokens: number;
  /** How many tokens the model's provider counts for one that is estimated. Every budget was measured with it. */
  readonly ratio: number;
}

export interface AssembledRequest {
  readonly system: readonly ContextPart[];
  readonly history: FittedHistory;
  readonly recipe: HistoryRecipe;
  /** For this turn only; sent right before the message to answer. */
  readonly turn: readonly ContextPart[];
  readonly tools: readonly ToolSchema[];
  readonly leftOut: readonly LeftOut[];
  /** Ids of files whose content is shown because the run's messages attach them or are about them. */
  readonly sources: readonly string[];
  readonly mode: ModeDecision | undefined;
  /** The position in the workspace's change feed that the parts were read at; null if none of them depends on it. */
  readonly feedSeq: number | null;
}

/** What a pack adds to a request. */
export type PackParts = Pick<AssembledRequest, 'system' | 'turn' | 'leftOut' | 'sources' | 'feedSeq'>;

export interface PackQuestion {
  readonly workspaceId: string;
  readonly scope: ThreadScope;
  readonly agent: Agent;
  /** The message to answer. */
  readonly message: string;
  readonly mode: ModeDecision | undefined;
  /** How many tokens the model's provider counts for one that is estimated. */
  readonly ratio: number;
}

interface PrewarmQuestion {
  readonly workspaceId: string;
  readonly scope: ThreadScope;
  readonly permissions: readonly PolicyRule[];
  /** The message that may be sent next. */
  readonly message: string;
  readonly agentState: AgentState;
  /** The context window of the model. */
  readonly maxTokens: number;
}

interface PrewarmedPack {
  readonly pack: ContextPack;
  readonly parts: readonly ContextPart[];
  readonly feedSeq: number;
}

/** Reads what a model is told about the scope of its thread. */
export interface Packs {
  /** What every request begins with. */
  instructions(agent: Agent): readonly ContextPart[];
  read(question: PackQuestion): Promise<PackParts>;
  /** Reads a scope's pack before it is needed; null if it is gone, or if a role with these permissions may not read it. */
  prewarm(question: PrewarmQuestion): Promise<PrewarmedPack | null>;
}

export interface RequestInputs extends Pick<
  ThreadState,
  'scope' | 'history' | 'omitted' | 'refused' | 'tooLong' | 'memory'
> {
  readonly pool: Queryable;
  readonly packs: Packs;
  readonly workspaceId: string;
  readonly agent: Agent;
  readonly tools: readonly ToolSchema[];
  readonly mode: ModeDecision | undefined;
  readonly runId: string;
  readonly summaryLines: number;
  /** How many tokens the model's provider counts for one that is estimated. */
  readonly ratio: number;
  /** In a history of more tokens, old results are masked. */
  readonly historyTokens: number;
  /** Reads the whole history from the log, if `history` omits turns. */
  readonly wholeHistory: () => Promise<ThreadState['history']>;
}

export interface Assembly {
  readonly request: AssembledRequest;
  /** The same request with fewer turns, after the model refused it as too long; null if it cannot be shorter. */
  shorter(): Assembly | null;
}

export async function assembleRequest(inputs: RequestInputs): Promise<Assembly> {
  const { agent, pool, packs, runId, summaryLines, memory, ratio } = inputs;
  const maskOver = Math.floor(inputs.historyTokens / ratio);
  const inProject = inputs.scope.project_id !== null;
  const offered = inProject ? toolsWithinBudget(inputs.tools, ratio) : { tools: inputs.tools, leftOut: [] };
  const { tools } = offered;
  const model = agent.model.id;
  const limits = { window: contextLimitOf(model), tooLong: inputs.tooLong[model], ratio };
  const omitted = omittedAfterSummary(inputs);
  const needsWhole = omitted !== null && isBeyondWindow(limits);
  const held = historyAfterSummary(needsWhole ? await inputs.wholeHistory() : inputs.history, memory);
  const refused = inputs.refused.filter((each) => each.model === model);
  const message = messageOf(inputs.history, runId);
  const [pack, filled, known] = await Promise.all([
    packs.read({ ...inputs, message }),
    withImages(pool, held, runId, refused),
    agent.skills(),
  ]);
  const skills = describeSkills(known, tools);
  const how = { runId, summaryLines, omitted: needsWhole ? null : omitted, maskOver };
  const withHistory = (history: FittedHistory): Assembly => ({
    request: {
      ...pack,
      mode: inputs.mode,
      system: [
        ...packs.instructions(agent),
        ...skills.parts,
        ...pack.system,
        ...present(summaryPart(memory)),
      ],
      turn: [...present(agentStatePart(memory)), ...pack.turn],
      history,
      recipe: {
        summary: currentSummary(memory)?.seq ?? null,
        held: held.length,
        sent: history.messages.length,
        summary_lines: summaryLines,
        mask_over: maskOver,
        tokens: history.tokens,
        ratio,
      },
      tools,
      leftOut: [...offered.leftOut, ...skills.leftOut, ...pack.leftOut, ...turnsLeftOut(history)],
      sources: [...filled.sources, ...pack.sources],
    },
    shorter: () => {
      const shorter = shorterHistory(filled.history, how, history, ratio);
      return shorter && withHistory(shorter);
    },
  });
  return withHistory(firstHistory(filled.history, how, limits));
}

/** The last message that a person sent to the run. */
function messageOf(history: ThreadState['history'], runId: string): string {
  const entry = history.findLast((each) => each.runId === runId && each.entry.role === 'user')?.entry;
  return entry?.role === 'user' ? entry.content : '';
}

function present(part: ContextPart | null): readonly ContextPart[] {
  return part === null ? [] : [part];
}

/** The messages of an earlier request, each with the seq of its event. `state` is the thread's state then, with its whole history. */
export async function rebuildHistory(
  client: Queryable,
  state: Pick<ThreadState, 'history' | 'refused' | 'memory'>,
  {
    recipe,
    runId,
    model,
  }: { readonly recipe: HistoryRecipe; readonly runId: string; readonly model: string },
): Promise<readonly { readonly seq: number; readonly message: HistoryMessage }[]> {
  const held = historyAfterSummary(state.history, state.memory).slice(-recipe.held);
  const refused = state.refused.filter((each) => each.model === model);
  const { history } = await withImages(client, held, runId, refused);
  const { summary_lines: summaryLines, mask_over: maskOver } = recipe;
  const { messages } = shownHistory(history, { runId, summaryLines, maskOver, budget: null });
  return messages.map((message, at) => ({ seq: history[at]!.seq, message })).slice(-recipe.sent);
}

function turnsLeftOut({ turnsLeftOut: turns, limit }: FittedHistory): readonly LeftOut[] {
  if (turns === 0) return [];
  const what = turns === 1 ? 'the oldest turn' : `the ${turns} oldest turns`;
  return [{ what, why: `the history would have more than ${limit} tokens`, tokens: 0 }];
}

/** The request as the model's provider gets it. */
export function toModelRequest(
  {
    system,
    history,
    turn,
    tools,
  }: Pick<AssembledRequest, 'system' | 'turn' | 'tools'> & {
    readonly history: Pick<FittedHistory, 'messages'>;
  },
  sent: Pick<ModelRequest, 'messageId' | 'signal'>,
): ModelRequest {
  const messages = markUntrusted(history.messages);
  return {
    ...sent,
    system: joined(system),
    history: turn.length === 0 ? messages : withTurn(messages, joined(turn)),
    tools,
  };
}

/** The size of a request in tokens, without the ratio. */
export function estimateRequest({ system, history, turn, tools }: AssembledRequest): number {
  const text = [...system, ...turn].reduce((sum, part) => sum + estimateText(part.text), 0);
  return text + history.tokens + tokensOfTools(tools);
}

function joined(parts: readonly ContextPart[]): string {
  return parts.map(({ text }) => text).join('\n\n');
}

/** Puts the note of the turn before the message to answer, so that everything before it is as it was in the turn before. */
function withTurn(messages: readonly HistoryMessage[], content: string): readonly HistoryMessage[] {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const note: HistoryMessage = { role: 'system', content };
  return at === -1 ? [...messages, note] : [...messages.slice(0, at), note, ...messages.slice(at)];
}
