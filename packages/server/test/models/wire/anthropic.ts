// Anthropic messages.

import {
  type Item,
  type Reply,
  type Said,
  type Wire,
  TOKENS,
  frame,
  isBlank,
  isName,
  itemsOf,
} from './reply.ts';

export const anthropic: Wire = {
  path: /\/messages$/,
  problemWith(request, issued) {
    if (!Number.isInteger(request.max_tokens)) return 'max_tokens: Field required';
    const messages = itemsOf(request.messages);
    if (messages.length === 0) return 'messages: at least one message is required';
    if (messages[0]!.role !== 'user') return 'messages: first message must use the "user" role';
    if (messages.at(-1)!.role !== 'user')
      return 'This model does not support assistant message prefill. The conversation must end with a user message.';
    const ids = new Set<unknown>();
    for (const [index, { role, content }] of messages.entries()) {
      const where = `messages.${index}`;
      if (role !== (index % 2 === 0 ? 'user' : 'assistant')) return `${where}: roles must alternate`;
      const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : itemsOf(content);
      if (blocks.length === 0) return `${where}: all messages must have non-empty content`;
      const problem =
        role === 'user'
          ? problemWithUser(blocks, itemsOf(messages[index - 1]?.content))
          : problemWithAssistant(blocks, itemsOf(messages[index + 1]?.content), issued, ids);
      if (problem !== null) return `${where}: ${problem}`;
    }
    if (ids.size > 0 && itemsOf(request.tools).length === 0)
      return 'Requests which have `tool_use` or `tool_result` blocks in the messages must define tools.';
    return problemWithThinking(request, messages);
  },
  frames(reply) {
    const { said = [], tokens = TOKENS } = reply;
    const usage = {
      input_tokens: tokens.input - (tokens.cached ?? 0) - (tokens.cacheWrite ?? 0),
      cache_creation_input_tokens: tokens.cacheWrite ?? 0,
      cache_read_input_tokens: tokens.cached ?? 0,
      output_tokens: 1,
    };
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'test-model', content: [] };
    const start = { ...message, stop_reason: null, stop_sequence: null, usage };
    return {
      said: [
        frame({ type: 'message_start', message: start }, 'message_start'),
        frame({ type: 'ping' }, 'ping'),
        ...said.flatMap(blockFrames),
      ],
      end: [
        frame(
          {
            type: 'message_delta',
            delta: { stop_reason: stopReason(reply), stop_sequence: null },
            usage: { output_tokens: tokens.output },
          },
          'message_delta',
        ),
        frame({ type: 'message_stop' }, 'message_stop'),
      ],
    };
  },
  error: (message, type, status) => ({ type: 'error', error: { type: type ?? typeOf(status), message } }),
  errorFrame: () =>
    frame({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'error'),
};

function typeOf(status: number): string {
  const types: Record<number, string> = {
    401: 'authentication_error',
    429: 'rate_limit_error',
    529: 'overloaded_error',
  };
  return types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

function stopReason({ said = [], finish }: Reply): string {
  if (finish) return finish === 'length' ? 'max_tokens' : 'refusal';
  return said.some(({ kind }) => kind === 'call') ? 'tool_use' : 'end_turn';
}

function blockFrames(said: Said, index: number): string[] {
  const delta = (fields: Item) =>
    frame({ type: 'content_block_delta', index, delta: fields }, 'content_block_delta');
  const start = (content_block: Item) =>
    frame({ type: 'content_block_start', index, content_block }, 'content_block_start');
  const stop = frame({ type: 'content_block_stop', index }, 'content_block_stop');
  if (said.kind === 'text')
    return [
      start({ type: 'text', text: '' }),
      ...said.pieces.map((text) => delta({ type: 'text_delta', text })),
      stop,
    ];
  if (said.kind === 'reasoning')
    return [
      start({ type: 'thinking', thinking: '', signature: '' }),
      ...said.pieces.map((thinking) => delta({ type: 'thinking_delta', thinking })),
      ...(said.signature === undefined
        ? []
        : [delta({ type: 'signature_delta', signature: said.signature })]),
      stop,
    ];
  return [
    start({ type: 'tool_use', id: said.id, name: said.tool, input: {} }),
    delta({ type: 'input_json_delta', partial_json: '' }),
    ...said.pieces.map((partial_json) => delta({ type: 'input_json_delta', partial_json })),
    stop,
  ];
}

function problemWithUser(blocks: readonly Item[], before: readonly Item[]): string | null {
  const calls = before.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
  const results = blocks.filter(({ type }) => type === 'tool_result');
  for (const { tool_use_id: id } of results)
    if (!calls.includes(id))
      return `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(id)}`;
  if (blocks.slice(0, results.length).some(({ type }) => type !== 'tool_result'))
    return 'tool_result blocks must come first';
  if (new Set(results.map(({ tool_use_id: id }) => id)).size < results.length)
    return 'each tool_use must have a single result';
  return blocks.some(({ type, text }) => type === 'text' && isBlank(text))
    ? 'text content blocks must contain non-whitespace text'
    : null;
}

function problemWithAssistant(
  blocks: readonly Item[],
  after: readonly Item[],
  issued: ReadonlySet<string>,
  ids: Set<unknown>,
): string | null {
  for (const { type, text, signature, thinking, id, name, input } of blocks) {
    if (type === 'text' && isBlank(text)) return 'text content blocks must contain non-whitespace text';
    if (type === 'thinking' && (typeof thinking !== 'string' || !issued.has(signature as string)))
      return 'Invalid `signature` in `thinking` block';
    if (type !== 'tool_use') continue;
    if (typeof id !== 'string' || !/^[a-zA-Z0-9_-]+$/.test(id))
      return 'tool_use.id: String should match pattern';
    if (ids.has(id)) return '`tool_use` ids must be unique';
    ids.add(id);
    if (!isName(name)) return 'tool_use.name: String should match pattern';
    if (typeof input !== 'object' || input === null || Array.isArray(input))
      return 'tool_use.input: Input should be an object';
    if (!after.some((each) => each.type === 'tool_result' && each.tool_use_id === id))
      return `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${id}`;
  }
  return blocks.at(-1)!.type === 'thinking'
    ? 'The final block in an assistant message cannot be `thinking`.'
    : null;
}

/** While a model that thinks uses tools, each of its messages since the user's last begins with its thinking. */
function problemWithThinking(
  { thinking }: Readonly<Record<string, unknown>>,
  messages: readonly Item[],
): string | null {
  if ((thinking as Item | undefined)?.type !== 'enabled') return null;
  const isUsers = ({ role, content }: Item) =>
    role === 'user' && !itemsOf(content).some(({ type }) => type === 'tool_result');
  const turn = messages.slice(messages.findLastIndex(isUsers) + 1);
  const bare = turn.some(
    ({ role, content }) => role === 'assistant' && itemsOf(content)[0]!.type !== 'thinking',
  );
  return bare
    ? 'When `thinking` is enabled, a final `assistant` message must start with a thinking block'
    : null;
}
