// The front matter of a document: its title and description. A change touches the lines of what it changes; other keys, comments
// and the content are kept as people wrote them. The SQL function `document_head` finds the same front matter.

/** Longer front matter counts as content. */
const FRONT_MATTER_BYTES = 16_384;
const FRONT_MATTER = /^(\uFEFF?---[ \t]*\r?\n)([\s\S]*?(?:\r?\n)|)(---[ \t]*(?:\r?\n|$))/;

interface Parts {
  /** The first and the last line of the front matter; null without front matter. */
  readonly fences: readonly [string, string] | null;
  readonly header: string;
  /** What follows, with the empty line between. */
  readonly rest: string;
}

function split(text: string): Parts {
  const match = FRONT_MATTER.exec(text.slice(0, FRONT_MATTER_BYTES));
  if (!match || Buffer.byteLength(match[0]) > FRONT_MATTER_BYTES)
    return { fences: null, header: '', rest: text };
  return { fences: [match[1]!, match[3]!], header: match[2]!, rest: text.slice(match[0].length) };
}

/** What follows the front matter, without the empty line between them. */
export function contentOf(text: string): string {
  const { fences, rest } = split(text);
  return fences === null ? rest : rest.replace(/^\r?\n/, '');
}

/** What to change in a document; undefined: nothing. */
export interface DocumentText {
  readonly title?: string | undefined;
  readonly description?: string | null | undefined;
  readonly content?: string | undefined;
}

/** The text of a document's file after a change. `before` is the text that it has, empty for a new file. */
export function printDocument({ title, description, content }: DocumentText, before = ''): string {
  const { fences, header, rest } = split(before);
  const body = content === undefined ? rest : content === '' ? '' : `\n${content}`;
  if (title === undefined && description === undefined)
    return fences === null ? (content ?? before) : `${fences[0]}${header}${fences[1]}${body}`;
  const end = header.includes('\r\n') ? '\r\n' : '\n';
  const lines = [
    ...(title === undefined ? [] : [`title: ${printValue(title)}${end}`]),
    ...(description === undefined || description === null || description === ''
      ? []
      : [`description: ${printValue(description)}${end}`]),
    ...withoutKeys(header, [
      ...(title === undefined ? [] : ['title']),
      ...(description === undefined ? [] : ['description']),
    ]),
  ];
  const [first, last] = fences ?? [`---${end}`, `---${end}`];
  // Without front matter so far, an empty line separates it from the content.
  const apart = fences === null && content === undefined && rest !== '' ? `${end}${rest}` : body;
  return `${first}${lines.join('')}${last.endsWith('\n') ? last : `${last}${end}`}${apart}`;
}

/** The lines of a header without these keys, and without the indented lines that belong to them. */
function withoutKeys(header: string, keys: readonly string[]): readonly string[] {
  let isKept = true;
  return header.split(/(?<=\n)/).filter((line) => {
    const key = /^([A-Za-z_][\w-]*)\s*:/.exec(line)?.[1];
    if (key !== undefined) isKept = !keys.includes(key);
    else if (!/^\s/.test(line)) isKept = true;
    return isKept && line !== '';
  });
}

/** A plain value where YAML reads it as this text, otherwise one in double quotes, which JSON's are. */
function printValue(value: string): string {
  const isPlain =
    /^[\p{L}\p{N}][^\n\r]*$/u.test(value) &&
    !/: |\s#|:$|^\s|\s$/.test(value) &&
    !/^(true|false|null|yes|no|on|off|~|[-+.\d][\d_.,eE+-]*)$/i.test(value);
  return isPlain ? value : JSON.stringify(value);
}
