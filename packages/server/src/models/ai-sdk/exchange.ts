// Orders the history for a provider: each assistant message is followed by exactly one result for each of its calls, in the
// order of the calls, with ids and names that every provider accepts.
//
// 1. A result belongs to the latest call with its id that has no result yet; otherwise it is dropped.
// 2. A call without a result gets one that says so.
// 3. Ids are unique in the whole history; most providers make them unique only within an answer.

import type { MessagePart } from '@continuo/engine';
import type { HistoryMessage } from '../model.ts';

type ToolCall = Extract<MessagePart, { readonly kind: 'tool_call' }>;
type ToolResult = Extract<HistoryMessage, { readonly role: 'tool' }>;
type UserMessage = Extract<HistoryMessage, { readonly role: 'user' }>;
type AssistantMessage = Extract<HistoryMessage, { readonly role: 'assistant' }>;

export interface AiSdkCallPair {
  readonly call: ToolCall;
  readonly id: string;
  readonly name: string;
  result: ToolResult | null;
}

export type AiSdkExchange =
  | { readonly kind: 'user'; readonly message: UserMessage }
  | { readonly kind: 'marker'; readonly content: string }
  | {
      readonly kind: 'assistant';
      readonly message: AssistantMessage;
      readonly pairs: readonly AiSdkCallPair[];
    };

export function aiSdkExchanges(history: readonly HistoryMessage[]): readonly AiSdkExchange[] {
  const exchanges: AiSdkExchange[] = [];
  const unanswered = new Map<string, AiSdkCallPair[]>();
  const ids = new Set<string>();
  for (const message of history) {
    switch (message.role) {
      case 'user':
        exchanges.push({ kind: 'user', message });
        break;
      case 'system':
        exchanges.push({ kind: 'marker', content: message.content });
        break;
      case 'tool': {
        const pair = unanswered.get(message.callId)?.pop();
        if (pair) pair.result = message;
        break;
      }
      case 'assistant': {
        const pairs: AiSdkCallPair[] = [];
        for (const call of message.parts) {
          if (call.kind !== 'tool_call') continue;
          pairs.push({ call, id: uniqueId(call.callId, ids), name: nameOf(call.tool), result: null });
        }
        // Iterates backwards, so that of two calls with the same id the first is answered first.
        for (const pair of pairs.toReversed()) {
          const open = unanswered.get(pair.call.callId);
          if (open) open.push(pair);
          else unanswered.set(pair.call.callId, [pair]);
        }
        exchanges.push({ kind: 'assistant', message, pairs });
      }
    }
  }
  return exchanges;
}

/** At most 40 letters, digits, `_` and `-`, which every provider accepts. */
function uniqueId(id: string, taken: Set<string>): string {
  const clean = id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 40) || 'call';
  let unique = clean;
  for (let count = 2; taken.has(unique); count += 1) {
    const suffix = `_${count}`;
    unique = clean.slice(0, 40 - suffix.length) + suffix;
  }
  taken.add(unique);
  return unique;
}

/** A model may call a tool that does not exist; its name is sent back in a form that providers accept. */
function nameOf(tool: string): string {
  const clean = tool.replace(/[^a-zA-Z0-9_-]/g, '_');
  return (/^[a-zA-Z_]/.test(clean) ? clean : `_${clean}`).slice(0, 64);
}
