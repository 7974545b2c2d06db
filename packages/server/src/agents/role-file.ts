// Parses a role file: YAML front matter (description, model, tools, permissions, limits) and a body, which is the model's
// preamble. An error names its line and column in the file, and what is allowed.

import { z } from 'zod';
import { schemas, type Limits, type PolicyRule } from '@continuo/protocol';
import { didYouMean } from '../names/did-you-mean.ts';
import { globProblem } from '../compute/glob.ts';
import { policyRule } from '../tools/policy.ts';
import { mistake, readFrontMatter, type Failed } from './front-matter.ts';

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

export type ParsedRole = { readonly ok: true; readonly role: RoleDefinition } | Failed;

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

/**
 * `key`: the id of the file. `known`: the tool names that the list may contain besides globs and tools of MCP servers;
 * undefined: any.
 */
export async function parseRoleFile(
  text: string,
  key: string,
  known?: readonly string[],
): Promise<ParsedRole> {
  const bytes = Buffer.byteLength(text);
  if (bytes > ROLE_FILE_BYTES) return tooLong(bytes);
  const read = await readFrontMatter(text, {
    key,
    schema: frontMatter,
    allowedIn,
    check: ({ tools = [] }) => unknownTool(tools, known),
  });
  if (!read.ok) return read;
  const preamble = read.body.trim();
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

export function tooLong(bytes: number): Failed {
  return mistake(1, 1, `the file has ${bytes} bytes; a role file may have at most ${ROLE_FILE_BYTES}`);
}

/** The first name in the list that is certainly no tool. */
function unknownTool(tools: readonly string[], known: readonly string[] | undefined) {
  const index = tools.findIndex((name) => known && isNoTool(name, known));
  if (index < 0) return null;
  const name = tools[index]!;
  return {
    path: ['tools', index],
    sentence: `there is no tool ${name}${didYouMean(name, known!)}`,
  };
}

/** Whether the name is certainly no tool. Globs and names of MCP tools (`server__tool`) may match a tool later. */
function isNoTool(name: string, known: readonly string[]): boolean {
  return /^[\w-]+$/.test(name) && !name.includes('__') && !known.includes(name);
}

function allowedIn([key]: readonly PropertyKey[]): string[] {
  const { shape } = { permissions: schemas.policyRule, limits: schemas.limits }[String(key)] ?? frontMatter;
  return Object.keys(shape);
}
