// An MCP server's tools, as runs call them. Names, descriptions and schemas are untrusted: a tool that breaks a limit is
// shortened or left out, and does not affect the other tools.

import { z } from 'zod';
import { isTooDeep, TOO_DEEP } from '../limits/json-depth.ts';
import type { AnyTool } from '../tools/registry.ts';
import type { LiveCallContext } from '../tools/tool.ts';
import { DESCRIPTION_BYTES, MOST_TOOLS, REASON_BYTES, SCHEMA_BYTES, SHOWN_BYTES } from './limits.ts';
import { modelToolName } from './names.ts';
import { readSchema } from './schema.ts';
import { shortened } from './text.ts';

export interface Listing {
  readonly tools: readonly ListedTool[];
  readonly leftOut: readonly { readonly tool: string; readonly reason: string }[];
}

export interface ListedTool {
  /** The server's own name for the tool. */
  readonly tool: string;
  readonly run: AnyTool;
}

/** Calls a tool on the server; throws a ToolFailure or an OutcomeUnknown. */
type Call = (tool: string, input: Record<string, unknown>, context: McpCallContext) => Promise<unknown>;
export type McpCallContext = Pick<LiveCallContext, 'signal' | 'ask'>;

interface Source {
  readonly server: string;
  /** Whether to trust the server's own claims about its tools' effects. */
  readonly trust: boolean;
  readonly call: Call;
}

const described = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  inputSchema: z.unknown().optional(),
  annotations: z.looseObject({ readOnlyHint: z.unknown(), idempotentHint: z.unknown() }).partial().optional(),
});

export function readTools(given: readonly unknown[], source: Source): Listing {
  const tools = new Map<string, ListedTool>();
  const leftOut: { tool: string; reason: string }[] = [];
  let room = SHOWN_BYTES;
  for (const each of given.slice(0, MOST_TOOLS)) {
    const { data } = described.safeParse(each);
    const tool = data ? shortened(data.name, REASON_BYTES) : '?';
    try {
      if (!data) throw new Error('it has no name, or its description is not text');
      const name = modelToolName(source.server, data.name);
      if (tools.has(name)) throw new Error(`another tool is named ${name}`);
      const description = shortened(data.description ?? '', DESCRIPTION_BYTES);
      if (isTooDeep(data.inputSchema)) throw new Error(`its input schema is ${TOO_DEEP}`);
      const size = Buffer.byteLength(JSON.stringify(data.inputSchema ?? null));
      if (size > SCHEMA_BYTES) throw new Error(`its input schema is larger than ${SCHEMA_BYTES} bytes`);
      // Tools that are left out below count too, because inspecting a schema takes time.
      room -= size + Buffer.byteLength(name + description);
      if (room < 0)
        throw new Error(
          `the names, descriptions and schemas of the server’s tools are larger than ${SHOWN_BYTES} bytes`,
        );
      const { forModels, input } = readSchema(data.inputSchema);
      const run: AnyTool = {
        name,
        description,
        effect: source.trust ? effectOf(data.annotations) : 'external',
        input,
        elsewhere: true,
        untrusted: true,
        schema: forModels,
        run: (value: Record<string, unknown>, context: McpCallContext) =>
          source.call(data.name, value, context),
      };
      tools.set(name, { tool, run });
    } catch (error) {
      leftOut.push({ tool, reason: shortened((error as Error).message, REASON_BYTES) });
    }
  }
  const rest = given.length - MOST_TOOLS;
  if (rest > 0)
    leftOut.push({ tool: `${rest} more`, reason: `a server may have at most ${MOST_TOOLS} tools` });
  return { tools: [...tools.values()], leftOut };
}

function effectOf(hints: z.infer<typeof described>['annotations']): 'pure' | 'idempotent' | 'external' {
  if (hints?.readOnlyHint === true) return 'pure';
  return hints?.idempotentHint === true ? 'idempotent' : 'external';
}
