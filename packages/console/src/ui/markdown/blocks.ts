// Splits Markdown into blocks that can be parsed independently, so that growing text parses only its last block again.

/** A reference definition, in whichever quotes and lists, applies to the whole text: such a text is a single block. */
const DEFINITION = /\uFEFF?(?:[ \t>*+-]|\d{1,9}[.)])*\[(?:\\[^]|[^\\[\]]){1,999}\]:/y;
const LINE_END = /\r\n?|\n|$/g;
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const CLOSING_FENCE = /^ {0,3}(`+|~+)[ \t]*$/;
const ITEM = /^( {0,3}([-*+]|(\d{1,9})([.)])))(?:([ \t]+)(?=[^ \t])|[ \t]*$)/;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const HTML = /^ {0,3}<[a-z!?/]/i;
/** Ends a paragraph, and thus a list, also without a blank line. */
const HEADING_OR_QUOTE = /^ {0,3}(?:#{1,6}(?:[ \t]|$)|>)/;

export interface Blocks {
  readonly text: string;
  readonly blocks: readonly string[];
}

/** `known`: the blocks of an earlier state of the same text. */
export function blocksOf(text: string, known: Blocks | null = null): Blocks {
  if (known?.text === text) return known;
  // The last block may grow, and its first line, once complete, may belong to the block before.
  const grows = known !== null && text.startsWith(known.text);
  const kept = grows ? known.blocks.slice(0, -2) : [];
  const from = kept.reduce((length, block) => length + block.length, 0);
  const rest = split(text.slice(from));
  return { text, blocks: rest === null ? [text] : [...kept, ...rest] };
}

/** Null: the text has a reference definition. */
function split(text: string): string[] | null {
  const blocks: string[] = [];
  let start = 0;
  let block = new Block();
  for (let at = 0; at < text.length;) {
    LINE_END.lastIndex = at;
    const newline = LINE_END.exec(text)!;
    // The parser leaves out a byte order mark at the start.
    const line = text.slice(at, newline.index).replace(at === 0 ? /^\uFEFF/ : '', '');
    DEFINITION.lastIndex = at;
    if (block.fence === null && DEFINITION.test(text)) return null;
    if (block.endsBefore(line)) {
      blocks.push(text.slice(start, at));
      start = at;
      block = new Block();
    }
    block.add(line);
    at = newline.index + newline[0].length;
  }
  if (start < text.length) blocks.push(text.slice(start));
  return blocks;
}

/** What the lines of a block so far mean for the next one. In doubt, the block does not end. */
class Block {
  /** The mark of the code fence that is open, outside of lists and quotes. */
  fence: string | null = null;
  /** After a blank line, or at the start. */
  #blank = true;
  #empty = true;
  #list = false;
  #indentedCode = false;
  /** Raw HTML ends at a blank line at the earliest. */
  #endless = false;
  /** A line that is indented at least so far belongs to the open list item, whatever it contains. */
  #item: {
    readonly indent: number;
    readonly marker: string;
    readonly sure: boolean;
    readonly bare: boolean;
  } | null = null;

  endsBefore(line: string): boolean {
    if (this.#empty || !this.#blank || this.fence !== null || this.#endless || /^(?:\s|$)/.test(line))
      return false;
    // The parser lets indented code go on after blank lines, and has stricter rules for lists that interrupt something.
    if (this.#indentedCode && /^[-*+>\d]/.test(line)) return false;
    return !(this.#list && ITEM.test(line));
  }

  add(line: string): void {
    const blank = /^[ \t]*$/.test(line);
    if (this.fence !== null) this.#closeFence(line, this.fence);
    else if (!blank) this.#addText(line);
    // An item that begins with two blank lines has ended.
    else if (this.#item?.bare) this.#item = null;
    this.#blank = blank;
    this.#empty &&= blank;
  }

  #closeFence(line: string, open: string): void {
    if (CLOSING_FENCE.exec(line)?.[1]?.startsWith(open)) this.fence = null;
  }

  #addText(line: string): void {
    const indent = columns(/^[ \t]*/.exec(line)![0]);
    const fence = FENCE.exec(line)?.[1] ?? null;
    if (this.#item !== null && indent >= this.#item.indent) {
      if (!this.#item.sure && (fence !== null || HTML.test(line))) this.#endless = true;
      this.#item = { ...this.#item, bare: false };
      return;
    }
    const item = RULE.test(line) ? null : ITEM.exec(line);
    if (item !== null) {
      this.#list = true;
      this.#item = this.#itemOf(item);
    } else if (fence !== null || this.#blank || RULE.test(line) || HEADING_OR_QUOTE.test(line)) {
      this.#item = null;
    } else if (this.#item !== null) {
      // Either more of the item's paragraph or the end of the list.
      this.#item = { ...this.#item, sure: false, bare: false };
    }
    this.fence = fence;
    this.#endless ||= HTML.test(line);
    this.#indentedCode ||= indent >= 4;
  }

  #itemOf([, prefix = '', bullet = '', number, delimiter, space]: RegExpExecArray) {
    const marker = delimiter ?? bullet;
    const before = this.#item;
    const bare = space === undefined;
    // Not every item may interrupt a paragraph.
    const interrupts = !bare && (number === undefined || number === '1');
    const follows = before?.sure && before.marker === marker;
    const sure = interrupts || follows || (this.#blank && !this.#indentedCode);
    const width = columns(prefix + (space ?? ' ')) - prefix.length;
    const indent = prefix.length + (width > 4 ? 1 : width);
    return {
      indent: sure || before === null ? indent : Math.min(indent, before.indent),
      marker,
      sure,
      bare,
    };
  }
}

/** The width of a text in columns, tabs expanded. */
function columns(text: string): number {
  let column = 0;
  for (const each of text) column += each === '\t' ? 4 - (column % 4) : 1;
  return column;
}
