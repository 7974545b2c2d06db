// Reads messages at the prompt. Pasted text is part of one message if the terminal marks pastes (bracketed paste);
// otherwise each line is a message. Text typed before the prompt is kept for the next messages.

import { createInterface, type Interface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { CTRL_C } from './interrupt-key.ts';
import { bold } from './output.ts';

const PASTE_START = '\u001B[200~';
const PASTE_END = '\u001B[201~';
/** Terminals that do not support these sequences ignore them. */
const ENABLE_PASTE_MARKS = '\u001B[?2004h';
const DISABLE_PASTE_MARKS = '\u001B[?2004l';

export interface Prompt {
  /** Starts with the text typed so far. Null: Ctrl-D or Ctrl-C. */
  next(): Promise<string | null>;
  /** Adds text that was typed while no prompt was open. */
  add(typed: Buffer): void;
  close(): void;
}

export function createPrompt(): Prompt {
  const { stdin, stdout } = process;
  const typeahead = createTypeahead();

  function next(): Promise<string | null> {
    typeahead.skipEnters();
    const keys = Object.assign(new PassThrough(), { setRawMode: (raw: boolean) => stdin.setRawMode(raw) });
    const lines = createInterface({ input: keys, output: stdout, terminal: true, historySize: 0 });
    const pastes: string[] = [];
    // The start of a paste is a key without effect: when it arrives, everything typed before is in the line.
    keys.on('keypress', (_typed, key: { name?: string }) => {
      if (key.name === 'paste-start') insert(lines, pastes.shift() ?? '');
    });
    let complete = false;
    const feed = () => {
      for (
        let part = complete ? null : typeahead.take();
        part !== null;
        part = complete ? null : typeahead.take()
      ) {
        if (part.kind === 'paste') pastes.push(part.text);
        keys.write(part.kind === 'paste' ? PASTE_START : part.bytes);
        complete = part.kind === 'line';
      }
    };
    const onData = (data: Buffer) => {
      typeahead.add(data);
      feed();
    };
    stdout.write(ENABLE_PASTE_MARKS);
    return new Promise((resolve) => {
      let said: string | null = null;
      lines.once('close', () => {
        stdin.off('data', onData).pause();
        // In cooked mode the terminal would lose some of many lines until the next read.
        stdin.setRawMode(true);
        resolve(said);
      });
      lines.question(`${bold('you')} `, (line) => {
        said = line;
        lines.close();
      });
      stdin.on('data', onData).resume();
      feed();
    });
  }

  return {
    next,
    add: typeahead.add,
    close: () => {
      stdout.write(DISABLE_PASTE_MARKS);
      stdin.setRawMode(false);
    },
  };
}

function insert(lines: Interface, text: string): void {
  const edited = lines as { line: string; cursor: number };
  const { line, cursor } = edited;
  edited.line = line.slice(0, cursor) + text + line.slice(cursor);
  edited.cursor = cursor + text.length;
  lines.prompt(true);
}

type Part =
  | { readonly kind: 'keys' | 'line'; readonly bytes: Buffer }
  | { readonly kind: 'paste'; readonly text: string };

function createTypeahead() {
  let keys = Buffer.alloc(0);
  const isEnd = (byte: number | undefined) => byte === 10 || byte === 13;
  const cut = (length: number): Buffer => {
    const bytes = keys.subarray(0, length);
    keys = keys.subarray(length);
    return bytes;
  };
  return {
    add: (typed: Buffer) => {
      keys = Buffer.concat([keys, typed]);
    },
    /** Enter alone, typed early, must not end the chat. */
    skipEnters: () => {
      while (isEnd(keys[0])) cut(1);
    },
    /** The text up to the end of a line, or a whole paste; null: no more yet. A `line` includes its end. */
    take: (): Part | null => {
      const begins = keys.indexOf(PASTE_START);
      if (begins === 0) {
        const ends = keys.indexOf(PASTE_END);
        if (ends === -1) {
          // Ctrl-C leaves a paste that never ends.
          const left = keys.indexOf(CTRL_C);
          return left === -1 ? null : { kind: 'keys', bytes: cut(keys.length).subarray(left) };
        }
        const pasted = cut(ends + PASTE_END.length).subarray(PASTE_START.length, ends);
        return { kind: 'paste', text: asText(pasted) };
      }
      const typed = keys.subarray(0, begins === -1 ? keys.length - partialPasteStart(keys) : begins);
      const end = typed.findIndex(isEnd);
      if (end !== -1) return { kind: 'line', bytes: cut(end + 1) };
      return typed.length === 0 ? null : { kind: 'keys', bytes: cut(typed.length) };
    },
  };
}

/** How many of the last bytes may be an incomplete paste start. Escape alone is a key. */
function partialPasteStart(keys: Buffer): number {
  for (let length = PASTE_START.length - 1; length > 1; length -= 1) {
    if (keys.length >= length && keys.subarray(-length).toString('latin1') === PASTE_START.slice(0, length))
      return length;
  }
  return 0;
}

/** Without control characters. */
function asText(pasted: Buffer): string {
  return pasted
    .toString()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '');
}
