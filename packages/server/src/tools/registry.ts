// The tools that runs may call, by name, with the schemas that models see.

import { z } from 'zod';
import type { ToolSchema } from '../models/model.ts';
import type { Tool } from './tool.ts';

// A registry holds tools of any input type; each tool only gets input that its own schema accepted.
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyTool = Tool<any, any>;

export interface ToolRegistry {
  get(name: string): AnyTool | undefined;
  readonly names: readonly string[];
  readonly schemas: readonly ToolSchema[];
}

export function createToolRegistry(tools: readonly AnyTool[]): ToolRegistry {
  const byName = new Map<string, AnyTool>();
  for (const tool of tools) {
    if (byName.has(tool.name)) throw new Error(`two tools are named ${tool.name}`);
    byName.set(tool.name, tool);
  }
  return { get: (name) => byName.get(name), names: [...byName.keys()], schemas: tools.map(schemaOf) };
}

/** Adds tools to a registry; if a name is taken, the existing tool stays. */
export function withTools(registry: ToolRegistry, further: readonly AnyTool[]): ToolRegistry {
  const free = further.filter(({ name }) => !registry.get(name));
  if (free.length === 0) return registry;
  const added = createToolRegistry(free);
  return {
    get: (name) => registry.get(name) ?? added.get(name),
    names: [...registry.names, ...added.names],
    schemas: [...registry.schemas, ...added.schemas],
  };
}

function schemaOf({ name, description, input, schema }: AnyTool): ToolSchema {
  const shown = schema ?? z.toJSONSchema(input, { target: 'draft-7', io: 'input' });
  return { name, description, input: shown };
}

/** Only the tools whose name passes the test. */
export function narrowed(tools: ToolRegistry, isOne: (name: string) => boolean): ToolRegistry {
  return {
    get: (name) => (isOne(name) ? tools.get(name) : undefined),
    names: tools.names.filter(isOne),
    schemas: tools.schemas.filter(({ name }) => isOne(name)),
  };
}
