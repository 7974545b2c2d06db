// Cuts Markdown into blocks that can be parsed apart from each other: while a text grows, only its last block is parsed again.

/** A reference defined anywhere in a text counts everywhere in it: such a text is one block. */
const DEFINITION = /^ {0,3}\[[^\]\n]+\]:/m;
const FENCE = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)*(`{3,}|~{3,})/;
const LIST = /^(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
const EMPTY_ITEM = /^(?:[-*+]|\d{1,9}[.)])$/;
const HTML = /^<[a-z!?/]/i;

export interface Blocks {
  readonly text: string;
  readonly blocks: readonly string[];
}

/** `known` are the blocks of an earlier state of the same text, if there was one. */
export function blocksOf(text: string, known: Blocks | null = null): Blocks {
  if (known?.text === text) return known;
  if (DEFINITION.test(text)) return { text, blocks: [text] };
  // The last block may grow, and its first line, once it is whole, may belong to the block before.
  const grows = known !== null && text.startsWith(known.text);
  const kept = grows ? known.blocks.slice(0, -2) : [];
  const from = kept.reduce((length, block) => length + block.length, 0);
  return { text, blocks: [...kept, ...split(text.slice(from))] };
}

function split(text: string): string[] {
  const blocks: string[] = [];
  let start = 0;
  let fence: string | null = null;
  let blank = false;
  let has = { list: false, html: false };
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline + 1;
    const line = text.slice(at, end).trimEnd();
    if (blank && fence === null && line !== '' && begins(line, has)) {
      blocks.push(text.slice(start, at));
      start = at;
      has = { list: false, html: false };
    }
    if (fence === null) has = { list: has.list || LIST.test(line), html: has.html || HTML.test(line) };
    fence = fenceAfter(line, fence);
    blank = line === '';
    at = end;
  }
  if (start < text.length) blocks.push(text.slice(start));
  return blocks;
}

/** Whether a line after a blank one stands apart from the block before it, by what that has. */
function begins(line: string, has: { readonly list: boolean; readonly html: boolean }): boolean {
  if (/^\s/.test(line)) return false;
  // Only a blank line may end raw HTML, or not even that.
  if (has.html) return false;
  // An empty item is one or not by what stands before it.
  if (EMPTY_ITEM.test(line)) return false;
  return !(has.list && LIST.test(line));
}

function fenceAfter(line: string, open: string | null): string | null {
  const mark = FENCE.exec(line)?.[1];
  if (open === null) return mark ?? null;
  const closes =
    mark !== undefined && mark[0] === open[0] && mark.length >= open.length && line.trim() === mark;
  return closes ? null : open;
}
