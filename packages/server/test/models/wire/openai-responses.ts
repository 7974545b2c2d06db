// OpenAI responses.

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

export const openaiResponses: Wire = {
  path: /\/responses$/,
  problemWith(request, issued) {
    if (typeof request.model !== 'string') return "Missing required parameter: 'model'";
    const input = itemsOf(request.input);
    if (input.length === 0) return "'input' must not be empty";
    for (const [index, item] of input.entries()) {
      const problem = problemAt(input, index, issued, request.store === false);
      if (problem !== null)
        return `Invalid 'input[${index}]' (${String(item.type ?? item.role)}): ${problem}`;
    }
    const ids = input.flatMap(({ type, call_id }) => (type === 'function_call' ? [call_id] : []));
    return new Set(ids).size < ids.length ? 'Duplicate call_id' : null;
  },
  frames(reply) {
    const counter = { next: 0 };
    const tell = (type: string, fields: Item) =>
      frame({ type, sequence_number: counter.next++, ...fields }, type);
    const response = responseOf(reply, 'in_progress');
    const said = [
      tell('response.created', { response }),
      tell('response.in_progress', { response }),
      ...(reply.said ?? []).flatMap((each, index) => itemFrames(each, index, tell)),
    ];
    const whole = responseOf(reply, reply.finish ? 'incomplete' : 'completed');
    const type = reply.finish ? 'response.incomplete' : 'response.completed';
    return { said, end: [tell(type, { response: whole })] };
  },
  error: (message, type = 'invalid_request_error') => ({
    error: { message, type, param: null, code: type === 'context_length_exceeded' ? type : null },
  }),
  errorFrame: () =>
    frame(
      {
        type: 'error',
        sequence_number: 99,
        code: 'server_error',
        message: 'The server had an error',
        param: null,
      },
      'error',
    ),
};

type Tell = (type: string, fields: Item) => string;

function itemFrames(said: Said, output_index: number, tell: Tell): string[] {
  const item = itemOf(said, output_index);
  const at = { item_id: item.id, output_index };
  const added = tell('response.output_item.added', { output_index, item: { ...item, ...begun(said) } });
  const done = tell('response.output_item.done', { output_index, item });
  if (said.kind === 'text') {
    const part = { type: 'output_text', text: said.pieces.join(''), annotations: [], logprobs: [] };
    const content = { ...at, content_index: 0 };
    return [
      added,
      tell('response.content_part.added', { ...content, part: { ...part, text: '' } }),
      ...said.pieces.map((delta) => tell('response.output_text.delta', { ...content, delta, logprobs: [] })),
      tell('response.output_text.done', { ...content, text: part.text, logprobs: [] }),
      tell('response.content_part.done', { ...content, part }),
      done,
    ];
  }
  if (said.kind === 'reasoning') {
    const summary = { ...at, summary_index: 0 };
    const part = { type: 'summary_text', text: said.pieces.join('') };
    return [
      added,
      tell('response.reasoning_summary_part.added', { ...summary, part: { ...part, text: '' } }),
      ...said.pieces.map((delta) => tell('response.reasoning_summary_text.delta', { ...summary, delta })),
      tell('response.reasoning_summary_text.done', { ...summary, text: part.text }),
      tell('response.reasoning_summary_part.done', { ...summary, part }),
      done,
    ];
  }
  return [
    added,
    ...said.pieces.map((delta) => tell('response.function_call_arguments.delta', { ...at, delta })),
    tell('response.function_call_arguments.done', {
      ...at,
      name: said.tool,
      arguments: said.pieces.join(''),
    }),
    done,
  ];
}

function itemOf(said: Said, index: number): Item {
  const whole = said.pieces.join('');
  if (said.kind === 'text') {
    const content = [{ type: 'output_text', text: whole, annotations: [], logprobs: [] }];
    return { id: `msg_${index}`, type: 'message', status: 'completed', role: 'assistant', content };
  }
  if (said.kind === 'reasoning') {
    const summary = whole === '' ? [] : [{ type: 'summary_text', text: whole }];
    return { id: `rs_${index}`, type: 'reasoning', summary, encrypted_content: said.signature ?? null };
  }
  const call = { call_id: said.id, name: said.tool, arguments: whole };
  return { id: `fc_${index}`, type: 'function_call', status: 'completed', ...call };
}

function begun({ kind }: Said): Item {
  if (kind === 'text') return { status: 'in_progress', content: [] };
  return kind === 'reasoning'
    ? { summary: [], encrypted_content: null }
    : { status: 'in_progress', arguments: '' };
}

function responseOf({ said = [], finish, tokens = TOKENS }: Reply, status: string): Item {
  const over = status !== 'in_progress';
  const usage = {
    input_tokens: tokens.input,
    input_tokens_details: { cached_tokens: tokens.cached ?? 0 },
    output_tokens: tokens.output,
    output_tokens_details: { reasoning_tokens: tokens.reasoning ?? 0 },
    total_tokens: tokens.input + tokens.output,
  };
  const reason = finish === 'length' ? 'max_output_tokens' : 'content_filter';
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1_700_000_000,
    model: 'test-model',
    status,
    error: null,
    incomplete_details: over && finish ? { reason } : null,
    output: over ? said.map(itemOf) : [],
    usage: over ? usage : null,
  };
}

function problemAt(
  input: readonly Item[],
  index: number,
  issued: ReadonlySet<string>,
  stateless: boolean,
): string | null {
  const item = input[index]!;
  const { type, role, call_id: id } = item;
  if (type === 'function_call') {
    if (!isName(item.name)) return "name does not match '^[a-zA-Z0-9_-]+$'";
    if (typeof id !== 'string' || id === '' || id.length > 64) return 'call_id too long';
    if (typeof item.arguments !== 'string') return 'arguments must be a string';
    const outputs = input
      .slice(index)
      .filter((each) => each.type === 'function_call_output' && each.call_id === id);
    return outputs.length === 1 ? null : `No tool output found for function call ${id}.`;
  }
  if (type === 'function_call_output') {
    const known = input.slice(0, index).some((each) => each.type === 'function_call' && each.call_id === id);
    return known ? null : `No tool call found for function call output with call_id ${String(id)}.`;
  }
  if (type === 'reasoning') {
    if (!stateless) return null;
    if (!issued.has(item.encrypted_content as string)) return 'The encrypted content could not be verified.';
    const next = input[index + 1];
    const follows =
      next && (next.type === 'function_call' || next.type === 'reasoning' || next.role === 'assistant');
    return follows ? null : `was provided without its required following item.`;
  }
  if (type === 'item_reference') return stateless ? 'items are not persisted when `store` is false' : null;
  if (!['user', 'assistant', 'system', 'developer'].includes(String(role))) return 'unknown item';
  if (!Array.isArray(item.content)) return isBlank(item.content) ? 'content must not be empty' : null;
  if (item.content.length === 0) return 'content must not be empty';
  return itemsOf(item.content).some((part) => 'text' in part && isBlank(part.text)) ? 'text is empty' : null;
}
