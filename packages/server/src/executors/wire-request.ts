// The request as executors get it: the history, the tools and the instructions that a model would get, as JSON.

import type { AssignmentMessage, AssignmentRequest } from '@continuo/protocol';
import type { Assignment } from './executor.ts';
import type { HistoryFile, HistoryMessage, ModelRequest } from '../models/model.ts';

export function toWireRequest(
  { system, history, tools, maxOutputTokens }: ModelRequest,
  { role, traceparent }: Pick<Assignment, 'role' | 'traceparent'>,
): Omit<AssignmentRequest, 'state'> {
  return {
    role,
    system,
    history: history.map(toWireMessage),
    tools: tools.map(({ name, description, input }) => ({ name, description, input: { ...input } })),
    max_output_tokens: maxOutputTokens ?? null,
    traceparent,
  };
}

function toWireMessage(message: HistoryMessage): AssignmentMessage {
  switch (message.role) {
    case 'user': {
      const { role, id, content, note, files } = message;
      const text = note === undefined ? content : `${content}\n\n${note}`;
      return { role, id, content: text, ...(files && { files: files.map(toWireFile) }) };
    }
    case 'assistant':
      return {
        role: 'assistant',
        id: message.id,
        parts: message.parts.map((part) => {
          if (part.kind !== 'tool_call') return { type: part.kind, text: part.text };
          const { callId: call, tool, input } = part;
          return { type: 'tool_call', call, tool, input: input.kind === 'json' ? input.value : input.text };
        }),
      };
    case 'tool': {
      const { role, callId: call, tool, output, failed, files } = message;
      return { role, call, tool, output, failed, ...(files && { files: files.map(toWireFile) }) };
    }
    case 'system':
      return message;
  }
}

function toWireFile({ mediaType, data }: HistoryFile): { media_type: string; url: string } {
  const url =
    typeof data === 'string' ? data : `data:${mediaType};base64,${Buffer.from(data).toString('base64')}`;
  return { media_type: mediaType, url };
}
