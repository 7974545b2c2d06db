// OpenAI chat completions, as OpenAI, vLLM, llama.cpp and Ollama stream them.

import { type Item, type Reply, type Wire, TOKENS, frame, isBlank, isName, itemsOf } from './reply.ts';

export const openaiChat: Wire = {
  path: /\/chat\/completions$/,
  problemWith(request) {
    if (typeof request.model !== 'string') return 'you must provide a model parameter';
    const messages = itemsOf(request.messages);
    if (messages.length === 0) return "'messages' must not be empty";
    for (const [index, message] of messages.entries()) {
      const problem = problemAt(messages, index, message);
      if (problem !== null) return `Invalid 'messages[${index}]': ${problem}`;
    }
    const ids = messages.flatMap((message) => itemsOf(message.tool_calls).map(({ id }) => id));
    return new Set(ids).size < ids.length ? 'Duplicate tool call ids' : null;
  },
  frames(reply) {
    const calls = (reply.said ?? []).filter(({ kind }) => kind === 'call');
    const said = (reply.said ?? []).flatMap((each) => {
      if (each.kind === 'text') return each.pieces.map((content) => chunk({ content }));
      if (each.kind === 'reasoning') return each.pieces.map((text) => chunk({ reasoning_content: text }));
      const index = calls.indexOf(each);
      const start = { index, id: each.id, type: 'function', function: { name: each.tool, arguments: '' } };
      return [
        chunk({ tool_calls: [start] }),
        ...each.pieces.map((text) => chunk({ tool_calls: [{ index, function: { arguments: text } }] })),
      ];
    });
    return {
      said: [chunk({ role: 'assistant', content: '' }), ...said],
      end: ending(reply, calls.length > 0),
    };
  },
  error: (message, type = 'invalid_request_error') => ({
    error: { message, type, param: null, code: type === 'context_length_exceeded' ? type : null },
  }),
  errorFrame: () =>
    frame({ error: { message: 'The server had an error', type: 'server_error', param: null, code: null } }),
};

const BASE = {
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model: 'test-model',
};

function chunk(delta: Item, finish_reason: string | null = null): string {
  return frame({ ...BASE, choices: [{ index: 0, delta, logprobs: null, finish_reason }] });
}

function ending({ finish, tokens = TOKENS }: Reply, calls: boolean): string[] {
  const reason = finish === 'filtered' ? 'content_filter' : (finish ?? (calls ? 'tool_calls' : 'stop'));
  const usage = {
    prompt_tokens: tokens.input,
    completion_tokens: tokens.output,
    total_tokens: tokens.input + tokens.output,
    prompt_tokens_details: { cached_tokens: tokens.cached ?? 0 },
    completion_tokens_details: { reasoning_tokens: tokens.reasoning ?? 0 },
  };
  return [chunk({}, reason), frame({ ...BASE, choices: [], usage }), 'data: [DONE]\n\n'];
}

function problemAt(messages: readonly Item[], index: number, message: Item): string | null {
  switch (message.role) {
    case 'system':
      return index > 0 ? 'system message must be at the beginning' : blank(message.content);
    case 'user':
      return blank(message.content);
    case 'assistant': {
      const calls = itemsOf(message.tool_calls);
      if (calls.length === 0) return blank(message.content);
      const answers = messages.slice(index + 1, index + 1 + calls.length);
      return calls.map((call) => problemWithCall(call, answers)).find((each) => each !== null) ?? null;
    }
    case 'tool': {
      const before = messages.slice(0, index).findLast(({ role }) => role !== 'tool');
      const known = itemsOf(before?.tool_calls).some(({ id }) => id === message.tool_call_id);
      return known
        ? null
        : "messages with role 'tool' must be a response to a preceding message with 'tool_calls'";
    }
    default:
      return `role ${String(message.role)}`;
  }
}

function problemWithCall(call: Item, answers: readonly Item[]): string | null {
  const { name, arguments: input } = call.function as Item;
  if (!isName(name)) return `function.name ${JSON.stringify(name)} does not match '^[a-zA-Z0-9_-]+$'`;
  if (typeof call.id !== 'string' || call.id === '' || call.id.length > 40)
    return 'tool_calls.id: expected a string with maximum length 40';
  if (!isObject(input)) return 'function.arguments is not a JSON object';
  const own = answers.filter(({ role, tool_call_id }) => role === 'tool' && tool_call_id === call.id);
  return own.length === 1 ? null : `tool_call_ids did not have response messages: ${call.id}`;
}

function isObject(text: unknown): boolean {
  try {
    const value: unknown = JSON.parse(text as string);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function blank(content: unknown): string | null {
  if (!Array.isArray(content)) return isBlank(content) ? 'content must not be empty' : null;
  if (content.length === 0) return 'content must not be empty';
  return itemsOf(content).some(({ type, text }) => type === 'text' && isBlank(text)) ? 'text is empty' : null;
}
