// The manifest of a request to a model: what it is made of, where each part comes from, what was left out, and a hash of the exact
// request. The messages of a run's requests, the summary and the agent state follow from the log, and other parts from versions of
// files, so the manifest says only how; the rest are texts, each stored once. A manifest is a row change of the log: it commits with
// the first event of the answer.

import type { ChangeKinds } from '../log/changes.ts';
import { tokensOfTools } from './budgets.ts';
import { hashRequest, hashTools, sha256, type Sent } from './fingerprint.ts';
import { estimateText } from './history.ts';
import type { ContextPart, HistoryRecipe, LeftOut } from './request.ts';
import type { SummarizerRecipe } from './summarizer.ts';
import type { ContextTexts, OwnedText } from './texts.ts';

/** A part as the list of parts has it. */
export interface ListedPart extends Omit<ContextPart, 'text'> {
  readonly tokens: number;
  readonly hash: string;
}

/** The list of a request's parts, which is itself stored once. */
export interface PartList {
  readonly system: readonly ListedPart[];
  readonly turn: readonly ListedPart[];
  /** Hashes of the messages, if they are stored as texts. */
  readonly messages: readonly string[];
  /** The hash of the tools' schemas, and their size. */
  readonly tools: string;
  readonly tool_tokens: number;
  readonly left_out: readonly LeftOut[];
}

type RequestPurpose = 'answer' | 'title' | 'summary';

/** A model was sent a request. */
export type ContextChange = {
  readonly kind: 'manifest';
  readonly event: number;
  readonly workspace: string;
  readonly try: number;
  /** The message of the answer. */
  readonly answer: string | null;
  readonly purpose: RequestPurpose;
  readonly model: string;
  readonly hash: string;
  readonly parts: string;
  readonly history: HistoryRecipe | SummarizerRecipe | null;
  readonly feed_seq: number | null;
};

export const CONTEXT_CHANGES: ChangeKinds<ContextChange> = { manifest: { json: ['history'] } };

interface SentRequest extends Pick<ContextChange, 'purpose' | 'answer' | 'model' | 'history'> {
  readonly workspaceId: string;
  readonly threadId: string;
  /** As it is sent. */
  readonly request: Sent;
  readonly system: readonly ContextPart[];
  readonly turn?: readonly ContextPart[];
  readonly leftOut?: readonly LeftOut[];
  readonly feedSeq?: number | null;
}

export interface RecordedRequest {
  readonly change: Omit<ContextChange, 'event' | 'try'>;
  /** The change may be appended when this has resolved; null: at once. */
  readonly stored: Promise<unknown> | null;
}

/** Whether a part's text is not stored, because it can be rebuilt from its source: the log, or a version of a file. */
function isRebuilt({ source }: Pick<ContextPart, 'source'>): boolean {
  return source.kind === 'event' || source.kind === 'file';
}

/** Describes a request that is being sent. Texts are stored while the server waits for the model. */
export function recordRequest(texts: ContextTexts, sent: SentRequest): RecordedRequest {
  const { workspaceId, threadId, request, system, turn = [], leftOut = [], model, history } = sent;
  const owned: OwnedText[] = [];
  const own = (hash: string, text: () => string, part: { thread?: boolean; entity?: string | null } = {}) => {
    const owner = part.thread ? threadId : workspaceId;
    owned.push({ owner, workspaceId, entity: part.entity ?? null, hash, text });
    return hash;
  };
  const listed =
    (forTurn: boolean) =>
    ({ text, ...part }: ContextPart): ListedPart => {
      const { source } = part;
      const entity = source.kind === 'entity' || source.kind === 'structure' ? source.id : null;
      const hash = sha256(text);
      if (!isRebuilt(part)) own(hash, () => text, { thread: forTurn, entity });
      return { ...part, tokens: estimateText(text), hash };
    };
  const messages = history === null ? request.history.map((each) => JSON.stringify(each)) : [];
  const list: PartList = {
    system: system.map(listed(false)),
    turn: turn.map(listed(true)),
    messages: messages.map((each) => own(sha256(each), () => each, { thread: true })),
    tools: own(hashTools(request.tools), () => JSON.stringify(request.tools)),
    tool_tokens: tokensOfTools(request.tools),
    left_out: leftOut,
  };
  const text = JSON.stringify(list);
  const isShared =
    turn.length === 0 && messages.length === 0 && system.every(({ source }) => source.kind !== 'event');
  const parts = own(sha256(text), () => text, { thread: !isShared });
  return {
    change: {
      kind: 'manifest',
      workspace: workspaceId,
      answer: sent.answer,
      purpose: sent.purpose,
      model,
      hash: hashRequest(model, request),
      parts,
      history,
      feed_seq: sent.feedSeq ?? null,
    },
    stored: texts.store(owned),
  };
}

/** The changes of requests of which the last was answered, or all failed; they belong to the first event of a batch. */
export function manifestChanges(requests: readonly RecordedRequest[]): readonly ContextChange[] {
  return requests.map(({ change }, index) => ({ ...change, event: 0, try: index + 1 }));
}

/** Resolves when the manifests may be appended; null: at once. */
export function whenStored(requests: readonly RecordedRequest[]): Promise<unknown> | null {
  const waiting = requests.flatMap(({ stored }) => stored ?? []);
  return waiting.length === 0 ? null : Promise.all(waiting);
}
