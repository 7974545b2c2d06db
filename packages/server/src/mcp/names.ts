// Builds tool names that every provider accepts. A name depends only on the server's and the tool's names, so it is the same on
// every pod and after every restart.

import { createHash } from 'node:crypto';
import { TOOL_NAME_LENGTH } from './limits.ts';

export function modelToolName(server: string, tool: string): string {
  const plain = `${server}__${tool}`;
  if (/^[\w-]+$/.test(tool) && plain.length <= TOOL_NAME_LENGTH) return plain;
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, 8);
  const readable = plain.replaceAll(/[^\w-]+/g, '_').slice(0, TOOL_NAME_LENGTH - hash.length - 1);
  return `${readable}_${hash}`;
}
