// A chat. Its id is in the page's address, so that a reload, or the same address in another browser, shows the same chat.

import { createClient } from '@continuo/client';
import { useEffect, useState, useSyncExternalStore, type FormEvent, type KeyboardEvent } from 'react';
import { Chat } from './chat.tsx';

const client = createClient();

export function App() {
  const chat = useSyncExternalStore(listenToHash, () => location.hash.slice(1));
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [sending, setSending] = useState(false);
  useEffect(() => setProblem(null), [chat]);

  const attempt = async (work: () => Promise<unknown>) => {
    setProblem(null);
    try {
      await work();
    } catch (error) {
      // A refusal of the server says what was wrong and what to do.
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };

  const send = async (event?: FormEvent) => {
    event?.preventDefault();
    const content = text.trim();
    if (content === '' || sending) return;
    setSending(true);
    await attempt(async () => {
      // The client repeats a message whose connection broke, under one key: it is never sent twice.
      if (chat === '') location.hash = (await client.chats.open({ goal: content })).chat.id;
      else await client.chats.send(chat, { content });
      setText('');
    });
    setSending(false);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) void send();
    else return;
    event.preventDefault();
  };

  return (
    <main>
      <header>
        <h1>Chat</h1>
        {chat !== '' && <a href="#">New chat</a>}
      </header>
      {chat === '' ? (
        <p className="hint">
          Say something. The chat continues if you reload the page or restart the server.
        </p>
      ) : (
        <Chat
          key={chat}
          client={client}
          id={chat}
          onStop={() => void attempt(() => client.chats.stop(chat))}
        />
      )}
      {problem !== null && (
        <p role="alert" className="problem">
          {problem}
        </p>
      )}
      <form onSubmit={(event) => void send(event)}>
        <textarea
          aria-label="Message"
          placeholder="Message"
          rows={2}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <button disabled={text.trim() === '' || sending}>Send</button>
      </form>
    </main>
  );
}

function listenToHash(changed: () => void): () => void {
  addEventListener('hashchange', changed);
  return () => removeEventListener('hashchange', changed);
}
