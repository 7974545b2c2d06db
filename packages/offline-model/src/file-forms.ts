// Sentences about files and commands, and calls of any tool by its name. The groups of a pattern are the tool's input.

import { call, QUOTE, type Call, type CallStep, type Form, type Said } from './forms.ts';
import { parseJson } from './request.ts';
import { textOf } from './sentences.ts';
import { otherLine, stockPage, stockText } from './stock-texts.ts';

const TOKEN = String.raw`(?:${QUOTE}|[^\s,;:]*[./][^\s,;:]*)`;
const PATH = `(?:the file )?(?<path>it|${TOKEN})`;
const NUMBERS = ['', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const ORDINALS = ['', 'first', 'second', 'third', 'fourth', 'fifth'];

type Steps = (said: Said) => readonly CallStep[] | null;

/** Without own steps, the groups are the input of the tool. A pattern with `PATH` is about that path, or the one spoken of. */
function form(
  example: string,
  pattern: string,
  tool: string,
  steps: Steps = (said) => [call(tool, said)],
): Form {
  return {
    example,
    pattern: new RegExp(`^${pattern.replace('PATH', PATH)}$`, 'is'),
    steps: (said, { tools, it }) => {
      if (!tools.has(tool)) return null;
      if (!pattern.includes('PATH')) return steps(said);
      const path = said['path']?.replace(/^it$/i, '') || it;
      return path === null ? null : steps({ ...said, path });
    },
  };
}

const WITH = '(?::| with(?: the)?(?: content| text)?:?)';
const CONTENT = `(?:(?<quoted>${QUOTE})|(?<words>.+))`;
const write: Steps = ({ path, quoted, words = '' }) => {
  const stock = quoted === undefined ? stockText(words) : null;
  return [call('write', { path, content: quoted ?? stock ?? words }, stock !== null)];
};
const grep: Steps = ({ pattern }) => [call('grep', { pattern, literal: true })];
const LINE = String.raw`(?:(?<place>last|${ORDINALS.slice(1).join('|')}) line|line (?<number>[1-9]\d{0,5}))`;
const CHANGE_LINE = `(?:change|replace) (?:the |its )?${LINE}(?: (?:of|in) PATH)?(?: (?:with|to|by) (?<text>.+))?`;
const REPLACE = `replace (?<old_text>${QUOTE}) (?:with|by) (?<new_text>${QUOTE}) in PATH`;
export const NOTES = String.raw`(?:write|make|create) (?<count>${NUMBERS.slice(2).join('|')}|[2-9]) (?:(?:short|little|small) )*(?<kind>notes|pages|drafts|poems|stories) (?:about|on) (?<topic>.+)`;

export const FILE_FORMS: readonly Form[] = [
  form('Write three short notes about tea', NOTES, 'write', (said) => [() => notesIn(said).calls]),
  form('Write a haiku to /rain.md', `(?:write|save|create) ${CONTENT} (?:to|into|in) PATH`, 'write', write),
  form('Create /list.md with "milk"', `(?:write to|create) PATH${WITH}\\s+${CONTENT}`, 'write', write),
  form('Change its last line', CHANGE_LINE, 'edit', (said) => [
    call('read', { path: said['path'] }),
    changeLine(said),
  ]),
  form('Replace "milk" with "tea" in /list.md', REPLACE, 'edit', ({ path, old_text, new_text }) => [
    call('edit', { path, edits: [{ old_text, new_text }] }),
  ]),
  form('What changed in /list.md?', `(?:what changed in|(?:show(?: me)? )?the diff of|diff) PATH`, 'diff'),
  form('Show me the history of /list.md', `show(?: me)? (?:the|its) history(?: of PATH)?`, 'history'),
  form('Undo the last change to /list.md', `(?:undo the last change (?:to|of)|restore) PATH`, 'restore'),
  form('Read /list.md', `(?:read|open|show(?: me)?|what(?:['’]?s| is) in) PATH(?: back| again)?`, 'read'),
  form('Remove /list.md', `(?:remove|delete) PATH`, 'remove'),
  form('Move /list.md to /old/list.md', `(?:move|rename) (?<from>${TOKEN}) to (?<to>${TOKEN})`, 'move'),
  form('List the files in /notes', String.raw`list(?: all)?(?: the)? files(?: in (?<path>\S+))?`, 'ls'),
  form('Find all *.md files', String.raw`find(?: all)?(?: the)? (?<pattern>\S*[*?]\S*)(?: files)?`, 'glob'),
  form('Search for "rain"', 'search(?: the files)? for (?<pattern>.+)', 'grep', grep),
  form('Run `ls -l`', '(?:run|execute)(?: the command)? (?<command>.+)', 'exec'),
  {
    example: 'Call read with {"path": "/list.md"}',
    pattern: /^call (?<tool>[\w.-]+)(?: with)? (?<json>\{.*\})$/is,
    steps: ({ tool = '', json = '' }, { tools }) => {
      const input = tools.has(tool) ? parseJson(json) : null;
      return input ? [call(tool, input as Call['input'])] : null;
    },
  },
];

/** Several notes are files of their own: /notes/tea-1.md, /notes/tea-2.md … */
export function notesIn({ count = '', kind = '', topic = '' }: Said) {
  const length = Number(count) || NUMBERS.indexOf(count.toLowerCase());
  const file = `/${kind.toLowerCase()}/${slugOf(topic)}`;
  const calls = Array.from({ length }, (_, index) => {
    const content = stockPage(`${topic}, ${index + 1} of ${length}`, index);
    return { tool: 'write', input: { path: `${file}-${index + 1}.md`, content }, stock: true };
  });
  return { topic, file, calls };
}

export function slugOf(text: string): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(0, 6).join('-').slice(0, 40) || 'goal';
}

/** A line must be read before it can be replaced. */
function changeLine({ path, place = '', number, text: given }: Said): CallStep {
  return (outcomes) => {
    const text = textOf(outcomes.findLast(({ tool }) => tool === 'read')?.output);
    const lines = [...text.matchAll(/^ *\d+\t(.*)$/gm)].map((match) => match[1]!);
    const ordinal = ORDINALS.indexOf(place.toLowerCase());
    const last = number ? Number(number) - 1 : ordinal < 0 ? lines.length - 1 : ordinal - 1;
    const line = lines[last];
    if (!line)
      return `${path} has no such line; it has ${lines.length} ${lines.length === 1 ? 'line' : 'lines'}.`;
    const fresh = given ?? otherLine(line);
    if (fresh === null)
      return `I cannot make up another line. Tell me the new one, for example: replace the last line of ${path} with "…"`;
    // Includes as many preceding lines as needed to make the place unique.
    let first = last;
    const until = () => lines.slice(first, last + 1).join('\n');
    while (first > 0 && lines.join('\n').split(until()).length > 2) first -= 1;
    const edit = { old_text: until(), new_text: [...lines.slice(first, last), fresh].join('\n') };
    return [{ tool: 'edit', input: { path, edits: [edit] }, stock: given === undefined }];
  };
}
