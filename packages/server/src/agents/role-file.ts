// Parses a role file: YAML front matter (description, model, tools, permissions, limits) and a body, which is the model's
// preamble. Pure. An error names its line and column in the file, and what is allowed.

import {
  isMap,
  isNode,
  isScalar,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type YAMLError,
} from 'yaml';
import { z } from 'zod';
import { schemas, type Limits, type PolicyRule } from '@continuo/protocol';
import { didYouMean } from '../did-you-mean.ts';
import { globProblem } from '../compute/glob.ts';
import { policyRule } from '../tools/policy.ts';

/** The most bytes of a role file. */
export const ROLE_FILE_BYTES = 64 * 1024;
const DESCRIPTION_CHARACTERS = 500;
const TOOL_GLOBS = 200;

export interface RoleDefinition {
  readonly description: string | null;
  readonly model: string | null;
  /** Names and globs of the tools that the role may use; null: all. */
  readonly tools: string[] | null;
  readonly permissions: PolicyRule[];
  readonly limits: Limits;
  readonly preamble: string;
}

interface Mistake {
  /** Counted from 1. */
  readonly line: number;
  readonly column: number;
  readonly sentence: string;
}

export type ParsedRole =
  | { readonly ok: true; readonly role: RoleDefinition }
  | { readonly ok: false; readonly mistake: Mistake };

const toolGlob = z.string().superRefine((text, context) => {
  const problem = globProblem(text);
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
});

const frontMatter = z.strictObject({
  description: z.string().trim().min(1).max(DESCRIPTION_CHARACTERS).optional(),
  model: z
    .string()
    .max(200)
    .regex(
      /^[a-z\d-]+(\/\S+|[\w.:-]*)$/,
      'must be provider/model, such as anthropic/claude-sonnet-4-5, or the name of a model that only one provider has',
    )
    .optional(),
  tools: z.array(toolGlob).max(TOOL_GLOBS).optional(),
  permissions: z.array(policyRule).max(schemas.POLICY_RULES).optional(),
  limits: schemas.limits.optional(),
});

/** `known`: the tool names that the list may contain besides globs and tools of MCP servers; undefined: any. */
export function parseRoleFile(text: string, known?: readonly string[]): ParsedRole {
  const bytes = Buffer.byteLength(text);
  if (bytes > ROLE_FILE_BYTES) return tooLong(bytes);
  const parts = split(text);
  if (parts === null)
    return mistake(
      1,
      1,
      'the front matter that begins here is not closed; end it with a line of three dashes, ---',
    );
  const { yaml, body } = parts;
  const read = readWithinStack(yaml, known);
  if (!read.ok) return read;
  const preamble = body.trim();
  if (preamble === '') {
    const line = text.split('\n').length;
    return mistake(
      line,
      1,
      'the file has no text after its front matter; write the preamble there, which the model is told first',
    );
  }
  const { description = null, model = null, tools = null, permissions = [], limits = {} } = read.given;
  return { ok: true, role: { description, model, tools, permissions, limits, preamble } };
}

export function tooLong(bytes: number): ParsedRole {
  return mistake(1, 1, `the file has ${bytes} bytes; a role file may have at most ${ROLE_FILE_BYTES}`);
}

const FENCE = /^---[ \t]*$/;

/** Null if the front matter does not end. A file may have no front matter. */
function split(text: string): { yaml: string; body: string } | null {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (!FENCE.test(lines[0]!)) return { yaml: '', body: lines.join('\n') };
  const end = lines.findIndex((line, index) => index > 0 && FENCE.test(line));
  if (end < 0) return null;
  return { yaml: lines.slice(1, end).join('\n'), body: lines.slice(end + 1).join('\n') };
}

type Read = { ok: true; given: z.infer<typeof frontMatter> } | { ok: false; mistake: Mistake };

/** The YAML parser is recursive, and 64 KiB of brackets can overflow the stack. */
function readWithinStack(yaml: string, known: readonly string[] | undefined): Read {
  try {
    return readFrontMatter(yaml, known);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return mistake(
      2,
      1,
      'the front matter is nested too deeply; the deepest value allowed is a list of text',
    );
  }
}

function readFrontMatter(yaml: string, known: readonly string[] | undefined): Read {
  const counter = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: counter, prettyErrors: false, logLevel: 'silent' });
  const at = (offset: number, sentence: string) => {
    const { line, col } = counter.linePos(Math.min(offset, yaml.length));
    // The front matter begins on the file's second line.
    return mistake(line + 1, col, sentence);
  };
  const [wrong] = [...document.errors, ...document.warnings];
  if (wrong) return at(wrong.pos[0], inWords(wrong));
  if (document.contents !== null && !isMap(document.contents))
    return at(0, 'the front matter must be keys with values, such as "description: Reviews texts"');
  const alias = firstAlias(document);
  if (alias !== null) return at(alias, STAR);
  const checked = frontMatter.safeParse(document.toJS() ?? {});
  if (checked.success) {
    const unknown = checked.data.tools?.findIndex((name) => known && isNoTool(name, known)) ?? -1;
    if (unknown < 0) return { ok: true, given: checked.data };
    const name = checked.data.tools![unknown]!;
    return at(
      offsetOf(document, ['tools', unknown], false),
      `tools[${unknown}]: there is no tool ${name}${didYouMean(name, known!)}`,
    );
  }
  const issue = checked.error.issues[0]!;
  if (issue.code !== 'unrecognized_keys')
    return at(offsetOf(document, issue.path, false), `${pathOf(issue.path)}: ${issue.message}`);
  const path = [...issue.path, issue.keys[0]!];
  const allowed = allowedIn(issue.path);
  return at(
    offsetOf(document, path, true),
    `${pathOf(path)} is not a known key${didYouMean(issue.keys[0]!, allowed)}`,
  );
}

/** Whether the name is certainly no tool. Globs and names of MCP tools (`server__tool`) may match a tool later. */
function isNoTool(name: string, known: readonly string[]): boolean {
  return /^[\w-]+$/.test(name) && !name.includes('__') && !known.includes(name);
}

const STAR = 'a value that begins with * must be in quotes, as in "*"';

function inWords({ code, message }: YAMLError): string {
  return code === 'BAD_ALIAS' ? STAR : `this is not YAML: ${message}`;
}

/** The offset of the first YAML alias. Aliases are not needed here, and can expand a small file to a huge value. */
function firstAlias(document: Document): number | null {
  let found: number | null = null;
  visit(document, {
    Alias: (_, { range }) => {
      found = range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return found;
}

function allowedIn([key]: readonly PropertyKey[]): string[] {
  const { shape } = { permissions: schemas.policyRule, limits: schemas.limits }[String(key)] ?? frontMatter;
  return Object.keys(shape);
}

/** The offset of the value at a path, or of its key; if there is none, of the nearest parent. */
function offsetOf(document: Document, path: readonly PropertyKey[], key: boolean): number {
  for (let depth = path.length; depth >= 0; depth -= 1) {
    const holder = document.getIn(path.slice(0, depth - 1), true);
    const pair =
      key && depth === path.length && isMap(holder)
        ? holder.items.find((item) => isScalar(item.key) && String(item.key.value) === path.at(-1))
        : undefined;
    const node = pair
      ? pair.key
      : depth === 0
        ? document.contents
        : document.getIn(path.slice(0, depth), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

/** `permissions[0].tool` */
function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((key, at) => (typeof key === 'number' ? `[${key}]` : `${at > 0 ? '.' : ''}${String(key)}`))
    .join('');
}

function mistake(line: number, column: number, sentence: string): { ok: false; mistake: Mistake } {
  return { ok: false, mistake: { line, column, sentence } };
}
