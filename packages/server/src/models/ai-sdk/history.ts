// Converts our history into a prompt that the provider accepts.
//
// 1. The first message after the system's is the user's, the last is the user's or a tool's, and there are never two
//    assistant messages in a row: a marker goes between them where needed.
// 2. No message and no text is empty.
// 3. Content that a provider signed goes back only to that provider; the reasoning of other providers is left out.
// 4. Reasoning never ends a message: providers refuse reasoning without the content that follows from it.
// 5. Images of a result follow it in a user message: not every format allows them inside a result.
// 6. A message has at most `CALLS_PER_MESSAGE` calls, because some providers refuse more; a marker mentions the others.
// 7. Markers are user messages in brackets: not all providers accept a system message in the middle.

import type {
  JSONValue,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ReasoningPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultOutput,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { MessagePart, Metadata, ToolInput } from '@continuo/engine';
import { readArguments } from '@continuo/protocol';
import { CALLS_PER_MESSAGE, type HistoryMessage } from '../model.ts';
import { type AiSdkCallPair, type AiSdkExchange, aiSdkExchanges } from './exchange.ts';
import { type AiSdkFileRules, aiSdkFilePart } from './files.ts';

/** A provider's requirements for a history. */
export interface AiSdkDialect {
  /** The part of its models' ids before the slash. */
  readonly provider: string;
  /** The name under which the AI SDK keeps the provider's metadata. */
  readonly metadataKey: string;
  readonly files: AiSdkFileRules;
  /** Which of the provider's own reasoning to send back; `current` is reasoning after the last user message. */
  readonly givesBack: (reasoning: AiSdkReasoning) => boolean;
}

interface AiSdkReasoning {
  readonly metadata: Readonly<Record<string, unknown>>;
  /** All reasoning parts of the message. */
  readonly siblings: readonly Readonly<Record<string, unknown>>[];
  readonly current: boolean;
}

export interface AiSdkHistory {
  readonly system: string;
  readonly history: readonly HistoryMessage[];
  readonly dialect: AiSdkDialect;
}

type UserContent = Extract<LanguageModelV4Message, { role: 'user' }>['content'];
type AssistantPart = LanguageModelV4TextPart | LanguageModelV4ReasoningPart | LanguageModelV4ToolCallPart;
type AssistantExchange = Extract<AiSdkExchange, { readonly kind: 'assistant' }>;

const UNANSWERED = 'No result: the call was interrupted before it ended.';

export function aiSdkPrompt({ system, history, dialect }: AiSdkHistory): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Message[] = [];
  const exchanges = aiSdkExchanges(history);
  const lastUser = exchanges.findLastIndex(({ kind }) => kind === 'user');

  const userSays = (content: UserContent) => {
    const last = prompt.at(-1);
    if (last?.role === 'user') last.content.push(...content);
    else prompt.push({ role: 'user', content });
  };
  for (const [index, exchange] of exchanges.entries()) {
    if (exchange.kind === 'user') userSays(userContent(exchange.message, dialect.files));
    else if (exchange.kind === 'marker') userSays([marker(exchange.content)]);
    else {
      const content = assistantContent(exchange, dialect, index > lastUser);
      if (content.length === 0) continue;
      if (prompt.length === 0) userSays([marker('The conversation begins with an answer of the model.')]);
      if (prompt.at(-1)?.role === 'assistant') userSays([marker('Go on.')]);
      prompt.push({ role: 'assistant', content });
      const pairs = exchange.pairs.slice(0, CALLS_PER_MESSAGE);
      if (pairs.length > 0) prompt.push({ role: 'tool', content: pairs.map(toolResult) });
      const surplus = exchange.pairs.length - pairs.length;
      if (surplus > 0)
        userSays([
          marker(
            `The message above requested ${surplus} calls more than the ${CALLS_PER_MESSAGE} that a message may request. They were not made.`,
          ),
        ]);
      const images = pairs.flatMap(({ result }) => result?.files ?? []);
      if (images.length > 0)
        userSays([
          marker('The images of the results above, in the same order.'),
          ...images.map((image) => aiSdkFilePart(image, dialect.files)),
        ]);
    }
  }
  if (prompt.length === 0) userSays([marker('Begin.')]);
  if (prompt.at(-1)?.role === 'assistant') userSays([marker('Go on.')]);
  return isBlank(system) ? prompt : [{ role: 'system', content: system }, ...prompt];
}

function userContent(
  { content, files = [], note = '' }: Extract<HistoryMessage, { readonly role: 'user' }>,
  rules: AiSdkFileRules,
): UserContent {
  const parts: UserContent = files.map((file) => aiSdkFilePart(file, rules));
  if (!isBlank(content)) parts.push({ type: 'text', text: content });
  if (!isBlank(note)) parts.push({ type: 'text', text: note });
  return parts.length > 0 ? parts : [marker('An empty message.')];
}

function marker(content: string): LanguageModelV4TextPart {
  return { type: 'text', text: /^\[.*\]$/s.test(content) ? content : `[System: ${content}]` };
}

function assistantContent(
  { message, pairs }: AssistantExchange,
  dialect: AiSdkDialect,
  current: boolean,
): AssistantPart[] {
  const own = message.model?.startsWith(`${dialect.provider}/`) ?? false;
  const metadataOf = (part: MessagePart) => (own ? signed(part.metadata, dialect.metadataKey) : undefined);
  const siblings = message.parts.flatMap((part) =>
    part.kind === 'reasoning' ? [metadataOf(part)?.[dialect.metadataKey] ?? {}] : [],
  );
  const content: AssistantPart[] = [];
  const calls = pairs.slice(0, CALLS_PER_MESSAGE).values();
  for (const part of message.parts) {
    const providerOptions = metadataOf(part);
    const given = providerOptions && { providerOptions };
    if (part.kind === 'tool_call') {
      const next = calls.next();
      if (!next.done) content.push({ ...toolCall(next.value), ...given });
    } else if (part.kind === 'text') {
      if (!isBlank(part.text)) content.push({ type: 'text', text: part.text, ...given });
    } else if (own) {
      const metadata = providerOptions?.[dialect.metadataKey] ?? {};
      if (dialect.givesBack({ metadata, siblings, current }))
        content.push({ type: 'reasoning', text: part.text, ...given });
    }
  }
  while (content.at(-1)?.type === 'reasoning') content.pop();
  return content;
}

function signed(metadata: Metadata | undefined, key: string): SharedV4ProviderOptions | undefined {
  const value = metadata?.[key];
  if (typeof value !== 'object' || value === null) return undefined;
  return { [key]: value as SharedV4ProviderOptions[string] };
}

function toolCall({ call, id, name }: AiSdkCallPair): LanguageModelV4ToolCallPart {
  return { type: 'tool-call', toolCallId: id, toolName: name, input: inputOf(call.input) };
}

/** Always an object: two of the three formats accept nothing else. */
function inputOf(written: ToolInput): unknown {
  const input = readArguments(written);
  if (!input.ok) return { not_json: input.raw };
  const { value } = input;
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : { value };
}

function toolResult({ id, name, result }: AiSdkCallPair) {
  return { type: 'tool-result' as const, toolCallId: id, toolName: name, output: outputOf(result) };
}

function outputOf(result: AiSdkCallPair['result']): LanguageModelV4ToolResultOutput {
  if (!result) return { type: 'error-text', value: UNANSWERED };
  const { output, failed } = result;
  if (failed) return { type: 'error-text', value: textOf(output) };
  if (typeof output === 'string' || output === undefined) return { type: 'text', value: textOf(output) };
  if (typeof output === 'object' && output !== null && 'text' in output && typeof output.text === 'string')
    return { type: 'text', value: textOf(output.text) };
  return { type: 'json', value: output as JSONValue };
}

function textOf(output: unknown): string {
  const text = typeof output === 'string' ? output : (JSON.stringify(output) ?? '');
  return isBlank(text) ? '[No output.]' : text;
}

function isBlank(text: string): boolean {
  return !/\S/.test(text);
}
