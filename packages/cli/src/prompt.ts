// Messages at the prompt. What is pasted is a part of one message, where the terminal tells what is pasted; else a line is a
// message, also one of many that come at once. What comes before it is asked for is kept for the next ones.

import { createInterface, type Interface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { CTRL_C } from './keys.ts';
import { bold } from './output.ts';

const PASTE_BEGINS = '\u001B[200~';
const PASTE_ENDS = '\u001B[201~';
/** Terminals that do not know them leave them alone. */
const TELL_PASTES = '\u001B[?2004h';
const NO_MORE_PASTES = '\u001B[?2004l';

export interface Prompt {
  /** It begins with what was typed before. Null: Ctrl-D or Ctrl-C. */
  next(): Promise<string | null>;
  /** What is typed while nobody asks. */
  add(typed: Buffer): void;
  close(): void;
}

export function createPrompt(): Prompt {
  const { stdin, stdout } = process;
  const ahead = createAhead();

  function next(): Promise<string | null> {
    ahead.skipEnters();
    const keys = Object.assign(new PassThrough(), { setRawMode: (raw: boolean) => stdin.setRawMode(raw) });
    const lines = createInterface({ input: keys, output: stdout, terminal: true, historySize: 0 });
    const pastes: string[] = [];
    // Its beginning is a key that does nothing: it tells when all that was typed before is in the line.
    keys.on('keypress', (_typed, key: { name?: string }) => {
      if (key.name === 'paste-start') insert(lines, pastes.shift() ?? '');
    });
    let whole = false;
    const feed = () => {
      for (let part = whole ? null : ahead.take(); part !== null; part = whole ? null : ahead.take()) {
        if (part.kind === 'paste') pastes.push(part.text);
        keys.write(part.kind === 'paste' ? PASTE_BEGINS : part.bytes);
        whole = part.kind === 'line';
      }
    };
    const onData = (data: Buffer) => {
      ahead.add(data);
      feed();
    };
    stdout.write(TELL_PASTES);
    return new Promise((resolve) => {
      let said: string | null = null;
      lines.once('close', () => {
        stdin.off('data', onData).pause();
        // Until somebody reads again, a terminal that edits lines itself would lose some of many.
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
    add: ahead.add,
    close: () => {
      stdout.write(NO_MORE_PASTES);
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

function createAhead() {
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
    /** Enter alone is impatience, and ends no conversation. */
    skipEnters: () => {
      while (isEnd(keys[0])) cut(1);
    },
    /** Up to the end of a line, or a whole paste; null: there is no more yet. A `line` has its end. */
    take: (): Part | null => {
      const begins = keys.indexOf(PASTE_BEGINS);
      if (begins === 0) {
        const ends = keys.indexOf(PASTE_ENDS);
        if (ends === -1) {
          // One that never ends is left by Ctrl-C.
          const left = keys.indexOf(CTRL_C);
          return left === -1 ? null : { kind: 'keys', bytes: cut(keys.length).subarray(left) };
        }
        const pasted = cut(ends + PASTE_ENDS.length).subarray(PASTE_BEGINS.length, ends);
        return { kind: 'paste', text: asText(pasted) };
      }
      const typed = keys.subarray(0, begins === -1 ? keys.length - begun(keys) : begins);
      const end = typed.findIndex(isEnd);
      if (end !== -1) return { kind: 'line', bytes: cut(end + 1) };
      return typed.length === 0 ? null : { kind: 'keys', bytes: cut(typed.length) };
    },
  };
}

/** How many of the last bytes may be the beginning of a paste's beginning. Escape alone is none: it is a key. */
function begun(keys: Buffer): number {
  for (let length = PASTE_BEGINS.length - 1; length > 1; length -= 1) {
    if (keys.length >= length && keys.subarray(-length).toString('latin1') === PASTE_BEGINS.slice(0, length))
      return length;
  }
  return 0;
}

/** Without what would steer the terminal. */
function asText(pasted: Buffer): string {
  return pasted
    .toString()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '');
}
