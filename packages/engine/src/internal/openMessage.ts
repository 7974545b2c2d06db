// A message while it is being written: its finished parts and its open blocks.
//
// Invariants:
// 1. At most one block of text is open, one of reasoning, and one for each call.
// 2. A block's place among the parts is reserved when it starts; its part is put there when
//    it closes. A block of text or reasoning that is empty and has no metadata leaves none.
// 3. Every function returns a new message. A delta costs no more than the open blocks: strings
//    are joined by reference, parts are not touched.

import type { MessagePart, Metadata, ToolInput } from '../events.ts';
import { isJsonTooDeep } from '../jsonDepth.ts';

/** The kind of a block, and its call. */
export type Slot =
  | { readonly kind: 'text' }
  | { readonly kind: 'reasoning' }
  | { readonly kind: 'tool_call'; readonly callId: string; readonly tool: string };

interface Block {
  readonly slot: Slot;
  readonly text: string;
  readonly position: number;
}

export interface OpenMessage {
  readonly kind: 'open';
  /** '' until the start of the message has come. */
  readonly messageId: string;
  readonly model: string | undefined;
  readonly blocks: readonly Block[];
  /** In order of start; null stands for a block that is still open, or was empty. */
  readonly parts: readonly (MessagePart | null)[];
}

export function openBlock(message: OpenMessage, slot: Slot): OpenMessage {
  const block: Block = { slot, text: '', position: message.parts.length };
  return { ...message, blocks: [...message.blocks, block], parts: [...message.parts, null] };
}

/** Adds to the block of that slot, opening it if need be. */
export function append(message: OpenMessage, slot: Slot, text: string): OpenMessage {
  const index = indexOf(message, slot);
  const block = message.blocks[index];
  if (block === undefined) return append(openBlock(message, slot), slot, text);
  return { ...message, blocks: message.blocks.with(index, { ...block, text: block.text + text }) };
}

/** Opens a call, or names one that was opened without a name; a second name changes nothing. */
export function nameCall(message: OpenMessage, slot: Slot): OpenMessage {
  const index = indexOf(message, slot);
  const block = message.blocks[index];
  if (block === undefined) return openBlock(message, slot);
  if (block.slot.kind !== 'tool_call' || block.slot.tool !== '') return message;
  return { ...message, blocks: message.blocks.with(index, { ...block, slot }) };
}

/** Turns the block of that slot into its part; nothing happens if none is open. */
export function closeBlock(message: OpenMessage, slot: Slot, metadata?: Metadata): OpenMessage {
  const index = indexOf(message, slot);
  const block = message.blocks[index];
  if (block === undefined) return message;
  return {
    ...message,
    blocks: message.blocks.toSpliced(index, 1),
    parts: message.parts.with(block.position, partOf(block, metadata)),
  };
}

function indexOf(message: OpenMessage, slot: Slot): number {
  return message.blocks.findIndex((block) => isSame(block.slot, slot));
}

function isSame(one: Slot, other: Slot): boolean {
  if (one.kind === 'tool_call' && other.kind === 'tool_call') return one.callId === other.callId;
  return one.kind === other.kind;
}

function partOf({ slot, text }: Block, metadata: Metadata | undefined): MessagePart | null {
  const extra = metadata === undefined ? {} : { metadata };
  if (slot.kind === 'tool_call') return { ...slot, input: parseToolInput(text), ...extra };
  if (text === '' && metadata === undefined) return null;
  return { kind: slot.kind, text, ...extra };
}

/** Models write no input for a tool without parameters: that counts as an empty object. */
function parseToolInput(text: string): ToolInput {
  if (text.trim() === '') return { kind: 'json', value: {} };
  if (isJsonTooDeep(text)) return { kind: 'invalid', text };
  try {
    return { kind: 'json', value: JSON.parse(text) };
  } catch {
    return { kind: 'invalid', text };
  }
}
