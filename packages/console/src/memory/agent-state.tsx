// The agent state of a chat, which people change: items are added, edited, resolved and discarded, assumptions get another confidence,
// and all of it can be cleared.

import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { client } from '../data/client.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Failure } from '../ui/states.tsx';
import { Visible } from '../ui/visible.tsx';
import { ItemForm, ItemRow } from './item.tsx';
import { stateKey, useAgentState, type AgentState, type Change } from './queries.ts';
import { Section } from './section.tsx';

export function AgentStateView({ chat, seq }: { readonly chat: string; readonly seq: number }) {
  const cache = useQueryClient();
  const { data: state, error, refetch } = useAgentState(chat, seq);
  const [clearing, setClearing] = useState(false);
  const [adding, setAdding] = useState(false);
  const put = (next: AgentState) => cache.setQueryData(stateKey(chat, seq), next);
  const change: Change = async (wanted) => {
    const edited = await client.chats.changeState(chat, wanted);
    put(edited.state);
    if (edited.refused.length > 0) throw new Error(edited.refused.map(({ reason }) => reason).join('; '));
  };
  if (error && !state)
    return (
      <Section title="Agent state">
        <Failure error={error} retry={() => void refetch()} />
      </Section>
    );
  if (!state) return null;
  const active = state.items.filter(({ status }) => status === 'active');
  const past = state.items.filter(({ status }) => status !== 'active');
  const isEmpty = isEmptyState(state);
  return (
    <Section
      title="Agent state"
      actions={
        <span className="flex gap-1">
          {!isEmpty && (
            <Button kind="quiet" className="!px-2 !py-1 !text-xs" onClick={() => setClearing(true)}>
              Clear…
            </Button>
          )}
          <Button className="!px-2 !py-1 !text-xs" aria-expanded={adding} onClick={() => setAdding(!adding)}>
            Add
          </Button>
        </span>
      }
    >
      {adding && (
        <ItemForm
          action="Add"
          close={() => setAdding(false)}
          save={({ kind, title, details }) =>
            change({
              agent_state_item_updates: [
                {
                  op: 'add',
                  item: {
                    id: `p-${crypto.randomUUID().slice(0, 8)}`,
                    kind,
                    title,
                    status: 'active',
                    ...(details !== '' && { details }),
                  },
                },
              ],
            })
          }
        />
      )}
      {isEmpty && !adding && (
        <p className="text-soft">
          Nothing yet. What the agent knows, assumes and expects appears here while you talk.
        </p>
      )}
      {active.length > 0 && (
        <ul aria-label="Items" className="mt-1 space-y-1.5">
          {active.map((item) => (
            <ItemRow key={item.id} item={item} change={change} />
          ))}
        </ul>
      )}
      <Assumptions state={state} change={change} />
      <List title="Expectations" of={state.expectations}>
        {({ action, expected_outcome, invariant }) => (
          <>
            <Visible text={action} />
            <span className="block text-xs text-soft">
              Expected: <Visible text={expected_outcome} />
              {invariant !== undefined && invariant !== '' && (
                <>
                  {' '}
                  (<Visible text={invariant} />)
                </>
              )}
            </span>
          </>
        )}
      </List>
      <List title="Open hypotheses" of={state.tentative_hypotheses}>
        {({ hypothesis, reason }) => (
          <>
            <Visible text={hypothesis} />
            {reason !== undefined && (
              <span className="block text-xs text-soft">
                <Visible text={reason} />
              </span>
            )}
          </>
        )}
      </List>
      <List title="Known entities" of={state.current_understanding.entities}>
        {({ kind, name, id }) => (
          <>
            <Visible text={name ?? id} />{' '}
            <span className="text-xs text-soft">{kind.replaceAll('_', ' ')}</span>
          </>
        )}
      </List>
      {past.length > 0 && (
        <details className="mt-3">
          <summary className="rounded-md text-xs text-soft hover:text-ink">
            {past.length} resolved or discarded; models are not shown these
          </summary>
          <ul aria-label="Past items" className="mt-1 space-y-1.5">
            {past.map((item) => (
              <ItemRow key={item.id} item={item} change={change} />
            ))}
          </ul>
        </details>
      )}
      <Confirm
        open={clearing}
        close={() => setClearing(false)}
        title="Clear the agent state?"
        action="Clear"
        act={async () => {
          put((await client.chats.clearState(chat)).state);
        }}
      >
        The agent forgets what it knows, assumes and expects in this chat. The messages and the summary stay.
      </Confirm>
    </Section>
  );
}

function isEmptyState({
  items,
  assumptions,
  expectations,
  tentative_hypotheses,
  ...rest
}: AgentState): boolean {
  const { entities, dependencies } = rest.current_understanding;
  return [items, assumptions, expectations, tentative_hypotheses, entities, dependencies].every(
    (list) => list.length === 0,
  );
}

function Assumptions({ state, change }: { readonly state: AgentState; readonly change: Change }) {
  const [problem, setProblem] = useState<string | null>(null);
  const set = (assumption: AgentState['assumptions'][number], confidence: number) => {
    setProblem(null);
    change({ agent_state_updates: { assumptions: [{ ...assumption, confidence }] } }).catch((error: Error) =>
      setProblem(error.message),
    );
  };
  return (
    <>
      <List title="Assumptions" of={state.assumptions}>
        {(assumption) => (
          <>
            <span className={assumption.confidence === 0 ? 'text-soft line-through' : ''}>
              <Visible text={assumption.hypothesis} />
            </span>
            <label className="mt-0.5 flex items-center gap-2 text-xs text-soft">
              Confidence
              <input
                type="range"
                min={0}
                max={1}
                step={0.1}
                // Uncontrolled: the change is sent when the person lets go.
                key={assumption.confidence}
                defaultValue={assumption.confidence}
                aria-label={`Confidence of: ${assumption.hypothesis}`}
                onPointerUp={(event) => set(assumption, Number(event.currentTarget.value))}
                onKeyUp={(event) => {
                  const value = Number(event.currentTarget.value);
                  if (value !== assumption.confidence) set(assumption, value);
                }}
                className="w-24 accent-accent"
              />
              <span className="tabular-nums">{Math.round(assumption.confidence * 100)} %</span>
            </label>
          </>
        )}
      </List>
      {problem && (
        <p role="alert" className="text-bad">
          {problem}
        </p>
      )}
    </>
  );
}

function List<T>({
  title,
  of,
  children,
}: {
  readonly title: string;
  readonly of: readonly T[];
  readonly children: (each: T) => ReactNode;
}) {
  if (of.length === 0) return null;
  return (
    <div className="mt-3">
      <h3 className="text-xs font-medium text-soft">{title}</h3>
      <ul aria-label={title} className="mt-1 space-y-1.5">
        {of.map((each, index) => (
          <li key={index} className="wrap-anywhere">
            {children(each)}
          </li>
        ))}
      </ul>
    </div>
  );
}
