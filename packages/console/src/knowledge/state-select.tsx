// The state of an entity. Only the states that it may change to are offered.

import { Select } from '../ui/select.tsx';
import type { Entity } from '@continuo/protocol';
import type { Kind } from './api.ts';
import { inWords, titleOf } from './words.ts';

interface StateSelectProps {
  readonly kind: Kind;
  readonly entity: Entity;
  readonly choose: (state: string) => void;
  readonly className?: string;
}

export function StateSelect({ kind, entity, choose, className }: StateSelectProps) {
  const state = entity.state ?? '';
  const next = kind.states?.transitions[state] ?? [];
  return (
    <Select
      label={`State of ${titleOf(entity)}`}
      value={state}
      choose={(chosen) => chosen !== state && choose(chosen)}
      choices={[state, ...next.filter((each) => each !== state)].map((each) => [each, inWords(each)])}
      {...(className && { className })}
    />
  );
}

/** Whether an entity in one state may change to another. */
export function mayChange(kind: Kind, from: string | undefined, to: string): boolean {
  return from !== undefined && from !== to && (kind.states?.transitions[from] ?? []).includes(to);
}
