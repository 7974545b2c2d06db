// What was said, as it streams.

import type { Client } from '@continuo/client';
import { useChat } from '@continuo/client/react';
import { useEffect, useRef } from 'react';

type View = ReturnType<typeof useChat>['view'];
type Turn = View['turns'][number];
type Item = Turn['items'][number];

interface Props {
  readonly client: Client;
  readonly id: string;
  readonly onStop: () => void;
}

export function Chat({ client, id, onStop }: Props) {
  const { view, version, connection, loading, error, older, loadOlder } = useChat(client, id);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // In braces: in some browsers it returns a promise, which is no cleanup.
    end.current?.scrollIntoView({ block: 'end' });
  }, [version]);
  if (error)
    return (
      <p role="alert" className="problem">
        {error.message}
      </p>
    );
  if (loading) return <p className="hint">Loading …</p>;
  const last = view.turns.at(-1);
  return (
    <section aria-label="Messages">
      {older === 'more' && <button onClick={() => void loadOlder()}>Older messages</button>}
      {view.turns
        .filter((turn) => turn.forgotten === null)
        .map((turn) => (
          <TurnView key={turn.run} turn={turn} />
        ))}
      {last?.state === 'running' && (
        <p className="hint">
          Working … <button onClick={onStop}>Stop</button>
        </p>
      )}
      {connection.kind === 'reconnecting' && (
        <p role="status" className="hint">
          The connection is lost; reconnecting.
        </p>
      )}
      <div ref={end} />
    </section>
  );
}

function TurnView({ turn }: { readonly turn: Turn }) {
  return (
    <>
      {turn.items.map((item) => (
        <ItemView key={item.seq} item={item} />
      ))}
      {turn.state === 'waiting' && (
        <p className="hint">A call waits for approval. Decide in the console, or with `continuo approve`.</p>
      )}
      {turn.state === 'canceled' && <p className="hint">Stopped.</p>}
      {turn.error && (
        <p role="alert" className="problem">
          {turn.error.error}
        </p>
      )}
    </>
  );
}

function ItemView({ item }: { readonly item: Item }) {
  if (item.forgotten) return null;
  if (item.kind === 'person') return <p className="person">{item.content}</p>;
  if (item.kind === 'call') {
    const state = item.state === 'ended' ? (item.success ? 'done' : 'failed') : item.state;
    return (
      <p className="call">
        {item.title ?? item.tool}: {state}
      </p>
    );
  }
  if (item.kind !== 'answer') return null;
  const text = item.parts
    .filter(({ kind }) => kind === 'text')
    .map((part) => part.text)
    .join('');
  if (text === '' || item.state === 'superseded') return null;
  return <p className="answer">{text}</p>;
}
