// The budgets of a request, and the estimate of tokens that they are measured with.

import type { ToolSchema } from '../models/model.ts';
import { estimateText } from './history.ts';
import type { LeftOut } from './request.ts';

/** Maximum tokens of the schemas of the server's own tools in a project. The tools of MCP servers come on top: a person chose them. */
const TOOL_TOKENS = 6000;
/** Maximum tokens of the rolling summary. */
const SUMMARY_TOKENS = 2000;
/** How many of the latest messages stay as they are when older ones are summarized. */
const RECENT_MESSAGES = 12;

export const BUDGETS = { summaryTokens: SUMMARY_TOKENS, recentMessages: RECENT_MESSAGES };

const schemas = new WeakMap<ToolSchema, number>();

/** An estimate. */
export function tokensOfTools(tools: readonly ToolSchema[]): number {
  return tools.reduce((sum, schema) => sum + tokensOfTool(schema), 0);
}

function tokensOfTool(schema: ToolSchema): number {
  const known = schemas.get(schema) ?? estimateText(JSON.stringify(schema));
  schemas.set(schema, known);
  return known;
}

/**
 * The schemas that fit the budget. The searches in one kind are left out first, the last ones first, because `search_onto_project` searches all
 * kinds; then the others. A call of a tool that was left out still works.
 */
export function toolsWithinBudget(
  tools: readonly ToolSchema[],
  ratio = 1,
): {
  readonly tools: readonly ToolSchema[];
  readonly leftOut: readonly LeftOut[];
} {
  const own = tools.filter(({ name }) => !name.includes('__'));
  const most = TOOL_TOKENS / ratio;
  let tokens = tokensOfTools(own);
  if (tokens <= most) return { tools, leftOut: [] };
  const dropped = new Set<ToolSchema>();
  const isSearch = ({ name }: ToolSchema) => /^search_onto_(?!workspace$|project$|documents$)/.test(name);
  const lastFirst = own.toReversed();
  for (const schema of [...lastFirst.filter(isSearch), ...lastFirst.filter((each) => !isSearch(each))]) {
    if (tokens <= most) break;
    tokens -= tokensOfTool(schema);
    dropped.add(schema);
  }
  const why = `tools may have at most ${TOOL_TOKENS} tokens`;
  return {
    tools: tools.filter((each) => !dropped.has(each)),
    leftOut: [...dropped].map((schema) => ({
      what: `the tool ${schema.name}`,
      why,
      tokens: Math.round(tokensOfTool(schema) * ratio),
    })),
  };
}
