// Sentences about files and commands, and calls of any tool by its name. The groups of a pattern are the tool's input.

import { call, form, QUOTE, type CallStep, type Form, type Said, type Steps } from './forms.ts';
import { parseJson } from './request.ts';
import { textOf } from './sentences.ts';
import { otherLine, stockPage, stockText } from './stock-texts.ts';
import { NUMBERS, numberOf } from './talk.ts';

const TOKEN = String.raw`(?:${QUOTE}|[^\s,;:]*[./][^\s,;:]*)`;
const PATH = `(?:the file )?(?<path>it|${TOKEN})`;
const ORDINALS = ['last', 'first', 'second', 'third', 'fourth', 'fifth'];

/** Without own steps, the groups are the input of the tool. A pattern with `PATH` is about that path, or the one spoken of. */
function row(example: string, pattern: string, tool: string, steps?: Steps): Form {
  return form(example, new RegExp(`^${pattern.replace('PATH', PATH)}$`, 'is'), (said, situation) => {
    const path = said['path']?.replace(/^it$/i, '') || situation.it;
    const isAbout = pattern.includes('PATH');
    if (!situation.tools.has(tool) || (isAbout && path === null)) return null;
    const input = isAbout ? { ...said, path: path! } : said;
    return steps ? steps(input, situation) : [call(tool, input)];
  });
}

const WITH = '(?::| with(?: the)?(?: content| text)?:?)';
const CONTENT = `(?:(?<quoted>${QUOTE})|(?<words>.+))`;
const write: Steps = ({ path, quoted, words = '' }) => {
  const stock = quoted === undefined ? stockText(words) : null;
  return [call('write', { path, content: quoted ?? stock ?? words }, stock !== null)];
};
const grep: Steps = ({ pattern }) => [call('grep', { pattern, literal: true })];
const LINE = String.raw`(?:(?<place>${ORDINALS.join('|')}) line|line (?<number>[1-9]\d{0,5}))`;
const CHANGE_LINE = `(?:change|replace) (?:the |its )?${LINE}(?: (?:of|in) PATH)?(?: (?:with|to|by) (?<text>.+))?`;
const REPLACE = `replace (?<old_text>${QUOTE}) (?:with|by) (?<new_text>${QUOTE}) in PATH`;
export const NOTES = String.raw`(?:write|make|create) (?<count>${NUMBERS.slice(2).join('|')}|[2-9]) (?:(?:short|little|small) )*(?<kind>notes|pages|drafts|poems|stories) (?:about|on) (?<topic>.+)`;

const CALL = /^call (?<tool>[\w.-]+)(?: with)? (?<json>\{.*\})$/is;

const writeNotes: Steps = (said) => {
  const { topic, parts } = notesIn(said);
  const inputs = parts.map(({ path }, index) => {
    return { path, content: stockPage(`${topic}, ${index + 1} of ${parts.length}`, index) };
  });
  return [() => inputs.map((input) => ({ tool: 'write', input, stock: true }))];
};

/** A line must be read before it can be replaced. */
const changeLine: Steps = ({ path, place = '', number, text: given }) => {
  const change: CallStep = (outcomes) => {
    const text = textOf(outcomes.findLast(({ tool }) => tool === 'read')?.output);
    const lines = [...text.matchAll(/^ *\d+\t(.*)$/gm)].map((match) => match[1]!);
    const last = (Number(number ?? ORDINALS.indexOf(place.toLowerCase())) || lines.length) - 1;
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
  return [call('read', { path }), change];
};

export const FILE_FORMS: readonly Form[] = [
  row('Write three short notes about tea', NOTES, 'write', writeNotes),
  row('Write a haiku to /rain.md', `(?:write|save|create) ${CONTENT} (?:to|into|in) PATH`, 'write', write),
  row('Create /list.md with "milk"', `(?:write to|create) PATH${WITH}\\s+${CONTENT}`, 'write', write),
  row('Change its last line', CHANGE_LINE, 'edit', changeLine),
  row('Replace "milk" with "tea" in /list.md', REPLACE, 'edit', ({ path, old_text, new_text }) => [
    call('edit', { path, edits: [{ old_text, new_text }] }),
  ]),
  row('What changed in /list.md?', `(?:what changed in|(?:show(?: me)? )?the diff of|diff) PATH`, 'diff'),
  row('Show me the history of /list.md', `show(?: me)? (?:the|its) history(?: of PATH)?`, 'history'),
  row('Undo the last change to /list.md', `(?:undo the last change (?:to|of)|restore) PATH`, 'restore'),
  row('Read /list.md', `(?:read|open|show(?: me)?|what(?:['’]?s| is) in) PATH(?: back| again)?`, 'read'),
  row('Remove /list.md', `(?:remove|delete) PATH`, 'remove'),
  row('Move /list.md to /old/list.md', `(?:move|rename) (?<from>${TOKEN}) to (?<to>${TOKEN})`, 'move'),
  row('List the files in /notes', String.raw`list(?: all)?(?: the)? files(?: in (?<path>\S+))?`, 'ls'),
  row('Find all *.md files', String.raw`find(?: all)?(?: the)? (?<pattern>\S*[*?]\S*)(?: files)?`, 'glob'),
  row('Search for "rain"', 'search(?: the files)? for (?<pattern>.+)', 'grep', grep),
  row('Run `ls -l`', '(?:run|execute)(?: the command)?:? (?<command>.+)', 'exec'),
  form('Call read with {"path": "/list.md"}', CALL, ({ tool = '', json = '' }, { tools }) => {
    const input = tools.has(tool) ? parseJson(json) : null;
    return input ? [call(tool, input)] : null;
  }),
];

/** Several notes are files of their own: /notes/tea-1.md, /notes/tea-2.md … */
export function notesIn({ count = '', kind = '', topic = '' }: Said) {
  const file = `/${kind.toLowerCase()}/${slugOf(topic)}`;
  const parts = Array.from({ length: numberOf(count) }, (_, index) => ({ path: `${file}-${index + 1}.md` }));
  return { topic, file, parts };
}

export function slugOf(text: string): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(0, 6).join('-').slice(0, 40) || 'goal';
}
