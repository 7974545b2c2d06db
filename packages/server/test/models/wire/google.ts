// Google's streamGenerateContent, as server-sent events.

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

export const google: Wire = {
  path: /:streamGenerateContent$/,
  problemWith(request, issued) {
    const contents = itemsOf(request.contents);
    if (contents.length === 0) return 'contents is not specified';
    if (contents[0]!.role !== 'user') return 'Please ensure that multiturn requests begin with a user turn.';
    if (contents.at(-1)!.role !== 'user')
      return 'Please ensure that multiturn requests end with a user turn.';
    for (const [index, content] of contents.entries()) {
      const problem = problemAt(contents, index, content, issued);
      if (problem !== null) return `contents[${index}]: ${problem}`;
    }
    return null;
  },
  frames(reply) {
    const { said = [] } = reply;
    const end = {
      content: { role: 'model', parts: [{ text: '' }] },
      finishReason: finishOf(reply),
      index: 0,
    };
    return {
      said: said
        .flatMap(partsOf)
        .map((part) => chunk({ content: { role: 'model', parts: [part] }, index: 0 })),
      end: [chunk(end, usageOf(reply))],
    };
  },
  error: (message, type, status) => ({
    error: { code: status, message, status: type ?? statusName(status) },
  }),
  errorFrame: () =>
    frame({ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }),
};

function statusName(status: number): string {
  const names: Record<number, string> = {
    401: 'UNAUTHENTICATED',
    429: 'RESOURCE_EXHAUSTED',
    503: 'UNAVAILABLE',
  };
  return names[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL');
}

function chunk(candidate: Item, usageMetadata: Item = { promptTokenCount: 0, totalTokenCount: 0 }): string {
  return frame({ candidates: [candidate], usageMetadata, modelVersion: 'test-model', responseId: 'r1' });
}

function usageOf({ tokens = TOKENS }: Reply): Item {
  return {
    promptTokenCount: tokens.input,
    candidatesTokenCount: tokens.output - (tokens.reasoning ?? 0),
    thoughtsTokenCount: tokens.reasoning ?? 0,
    cachedContentTokenCount: tokens.cached ?? 0,
    totalTokenCount: tokens.input + tokens.output,
  };
}

function finishOf({ finish }: Reply): string {
  if (finish === 'length') return 'MAX_TOKENS';
  return finish === 'filtered' ? 'SAFETY' : 'STOP';
}

/** Signatures come with the last part of what they sign. A call comes whole, unlike elsewhere. */
function partsOf(said: Said): Item[] {
  const signed = said.kind !== 'text' && said.signature !== undefined && { thoughtSignature: said.signature };
  if (said.kind === 'call') {
    const args = JSON.parse(said.pieces.join('') || '{}') as unknown;
    return [{ functionCall: { id: said.id, name: said.tool, args }, ...signed }];
  }
  return said.pieces.map((text, index) => ({
    text,
    ...(said.kind === 'reasoning' && { thought: true }),
    ...(index === said.pieces.length - 1 && signed),
  }));
}

function problemAt(
  contents: readonly Item[],
  index: number,
  { role, parts: given }: Item,
  issued: ReadonlySet<string>,
): string | null {
  const parts = itemsOf(given);
  if (parts.length === 0) return 'must include at least one parts field';
  for (const { text, thoughtSignature: signature, functionCall } of parts) {
    if (text !== undefined && isBlank(text) && signature === undefined) return 'text must not be empty';
    if (
      signature !== undefined &&
      !issued.has(signature as string) &&
      signature !== 'skip_thought_signature_validator'
    )
      return 'Thought signature is not valid.';
    const { name, args } = (functionCall ?? { name: 'none', args: {} }) as Item;
    if (!isName(name)) return 'Invalid function name';
    if (typeof args !== 'object' || args === null || Array.isArray(args)) return 'args must be a Struct';
  }
  const calls = named(parts, 'functionCall');
  const responses = named(parts, 'functionResponse');
  const before = contents[index - 1];
  if (role === 'model') {
    if (responses.length > 0) return "function responses are the user's";
    if (before?.role === 'model') return 'roles must alternate';
    if (calls.length === 0) return null;
    const answers = named(itemsOf(contents[index + 1]?.parts), 'functionResponse');
    return answers.join() === calls.join()
      ? null
      : 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
  }
  if (role !== 'user') return 'Please use a valid role: user, model.';
  if (responses.length === 0) return null;
  return named(itemsOf(before?.parts), 'functionCall').join() === responses.join()
    ? null
    : 'Please ensure that function response turn comes immediately after a function call turn.';
}

function named(parts: readonly Item[], kind: string): string[] {
  return parts.flatMap((part) => {
    const { name, id } = (part[kind] ?? {}) as { name?: string; id?: string };
    return name === undefined ? [] : [`${name}#${id ?? ''}`];
  });
}
