// Splits Markdown into blocks that can be parsed independently, so that growing text parses only its last block again.

/** A reference definition applies to the whole text, so a text that has one is a single block. */
const DEFINITION = /^ {0,3}\[[^\]\n]+\]:/m;
const FENCE = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)*(`{3,}|~{3,})/;
const LIST = /^(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
const EMPTY_ITEM = /^(?:[-*+]|\d{1,9}[.)])$/;
const HTML = /^<[a-z!?/]/i;

export interface Blocks {
  readonly text: string;
  readonly blocks: readonly string[];
}

/** `known`: the blocks of an earlier state of the same text. */
export function blocksOf(text: string, known: Blocks | null = null): Blocks {
  if (known?.text === text) return known;
  if (DEFINITION.test(text)) return { text, blocks: [text] };
  // The last block may grow, and its first line, once complete, may belong to the block before.
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

/** Whether a line after a blank line starts a new block, given what the current block contains. */
function begins(line: string, has: { readonly list: boolean; readonly html: boolean }): boolean {
  if (/^\s/.test(line)) return false;
  // Raw HTML ends at a blank line at the earliest.
  if (has.html) return false;
  // Whether this is an empty list item depends on the lines before.
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
