// Policies in words: what most people want, as rules that they can change.

import type { PolicyRule } from './http.ts';

interface PolicyPreset {
  readonly name: 'read_only' | 'ask' | 'trusted';
  readonly rules: readonly PolicyRule[];
}

/** A rule that allows external effects does not allow those that a web page may have asked for. */
export const ASK_AFTER_UNTRUSTED: PolicyRule = {
  tool: '*',
  effect: 'external',
  after: 'untrusted',
  action: 'ask',
};

const AGENT_FILES: readonly PolicyRule[] = ['/agents/**', '/.agents/**', '/AGENTS.md'].flatMap(
  (path): PolicyRule[] => [
    { tool: '*', path, effect: 'transactional', action: 'ask' },
    { tool: '*', path, effect: 'idempotent', action: 'ask' },
  ],
);

export const POLICY_PRESETS: readonly PolicyPreset[] = [
  {
    name: 'read_only',
    rules: [
      { tool: '*', action: 'deny' },
      { tool: '*', effect: 'pure', action: 'allow' },
      ASK_AFTER_UNTRUSTED,
    ],
  },
  {
    name: 'ask',
    rules: [
      { tool: '*', action: 'allow' },
      { tool: 'remove', action: 'ask' },
      { tool: '*', effect: 'external', action: 'ask' },
      { tool: 'publish_content', action: 'ask' },
      { tool: 'unpublish_content', action: 'ask' },
      ...AGENT_FILES,
      ASK_AFTER_UNTRUSTED,
    ],
  },
  {
    name: 'trusted',
    rules: [{ tool: '*', action: 'allow' }, ...AGENT_FILES, ASK_AFTER_UNTRUSTED],
  },
];
