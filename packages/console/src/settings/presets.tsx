// The policy in words: three presets, and the rule about untrusted content, which can be switched off.

import { ASK_AFTER_UNTRUSTED, POLICY_PRESETS, type PolicyRule } from '@continuo/protocol';
import { useId } from 'react';

const WORDS = {
  read_only: {
    title: 'Read only',
    about:
      'Agents read, search and run commands without network. They change nothing, and send out nothing but the words of web searches.',
  },
  ask: {
    title: 'Ask',
    about:
      'Agents work in the workspace. A person is asked before a removal, a publication, anything that leaves the server, and changes to agents.',
  },
  trusted: {
    title: 'Trusted',
    about: 'Agents also remove, publish and use the network without asking. Changes to agents still ask.',
  },
} as const;

interface PresetsProps {
  readonly rules: readonly PolicyRule[];
  readonly choose: (rules: readonly PolicyRule[]) => void;
}

export function Presets({ rules, choose }: PresetsProps) {
  const name = useId();
  const asksAfter = rules.some(isAfter);
  const others = rules.filter((rule) => !isAfter(rule));
  const current = POLICY_PRESETS.find((preset) =>
    isSame(
      preset.rules.filter((rule) => !isAfter(rule)),
      others,
    ),
  );
  const withAfter = (list: readonly PolicyRule[], isWanted: boolean) => [
    ...list.filter((rule) => !isAfter(rule)),
    ...(isWanted ? [ASK_AFTER_UNTRUSTED] : []),
  ];
  return (
    <div className="mb-3 space-y-3 text-sm">
      <fieldset className="grid gap-2 sm:grid-cols-3">
        <legend className="sr-only">What agents may do</legend>
        {POLICY_PRESETS.map((preset) => (
          <label
            key={preset.name}
            className="flex cursor-pointer flex-col rounded-xl border bg-raised px-3 py-2.5 hover:bg-hover has-checked:border-accent has-checked:bg-accent-wash has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <span className="flex items-center gap-2 font-medium">
              <input
                type="radio"
                name={name}
                className="accent-accent"
                checked={preset === current}
                onChange={() => choose(withAfter(preset.rules, asksAfter))}
              />
              {WORDS[preset.name].title}
            </span>
            <span className="mt-1 text-soft">{WORDS[preset.name].about}</span>
          </label>
        ))}
      </fieldset>
      {!current && <p className="text-soft">The rules below are your own.</p>}
      <label className="flex items-start gap-2">
        <input
          type="checkbox"
          className="mt-1 size-4 shrink-0 accent-accent"
          checked={asksAfter}
          onChange={(event) => choose(withAfter(rules, event.target.checked))}
        />
        <span>
          Ask before anything leaves the server, once a model has read untrusted content
          <span className="block text-soft">
            Web pages, results of MCP servers and what commands were sent may contain instructions of
            strangers. Without this, agents follow them as far as the rules below let them.
          </span>
        </span>
      </label>
    </div>
  );
}

const isAfter = (rule: PolicyRule) => isSame(rule, ASK_AFTER_UNTRUSTED);

/** Rules of the server may have their fields in another order. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  return Object.entries(value as object).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
