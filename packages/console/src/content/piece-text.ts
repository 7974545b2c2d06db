// The text of a piece's file: front matter, and the body below it. Changing a field keeps the others, and comments, as they are.

import { isMap, parseDocument } from 'yaml';

export type FieldValue = string | number | boolean | readonly string[];

export interface PieceText {
  readonly fields: Readonly<Record<string, FieldValue>>;
  readonly body: string;
}

const FENCE = /^---[ \t]*$/;

function split(text: string): { readonly yaml: string; readonly body: string } | null {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (!FENCE.test(lines[0]!)) return { yaml: '', body: lines.join('\n') };
  const end = lines.findIndex((line, index) => index > 0 && FENCE.test(line));
  if (end < 0) return null;
  return {
    yaml: lines.slice(1, end).join('\n'),
    body: lines
      .slice(end + 1)
      .join('\n')
      .replace(/^\n/, ''),
  };
}

function documentOf(yaml: string) {
  const document = parseDocument(yaml, { logLevel: 'silent' });
  const isReadable = document.errors.length === 0 && (document.contents === null || isMap(document.contents));
  return isReadable ? document : null;
}

/** Null if the front matter cannot be read. */
export function readPiece(text: string): PieceText | null {
  const parts = split(text);
  const document = parts && documentOf(parts.yaml);
  if (!document) return null;
  const given = (document.toJS() ?? {}) as Record<string, unknown>;
  const fields: Record<string, FieldValue> = {};
  for (const [name, value] of Object.entries(given))
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      fields[name] = value;
    else if (Array.isArray(value)) fields[name] = value.map(String);
  // A file ends with a line end, which is not part of what a person writes.
  return { fields, body: parts.body.replace(/\n$/, '') };
}

export function withBody(text: string, body: string): string {
  return join(split(text)?.yaml ?? '', body);
}

/** An empty value removes the field. */
export function withField(text: string, name: string, value: FieldValue): string {
  const { yaml, body } = split(text)!;
  const document = documentOf(yaml)!;
  if (value === '' || (Array.isArray(value) && value.length === 0)) document.delete(name);
  else document.set(name, document.createNode(value, { flow: true }));
  const isEmpty = isMap(document.contents) && document.contents.items.length === 0;
  return join(isEmpty ? '' : document.toString({ lineWidth: 0 }), body.replace(/\n$/, ''));
}

function join(yaml: string, body: string): string {
  const head = yaml === '' || yaml.endsWith('\n') ? yaml : `${yaml}\n`;
  return `---\n${head}---\n\n${body}\n`;
}
