// The AI SDK's own chat, without React: what `useChat` does, on plain state.

import {
  AbstractChat,
  DefaultChatTransport,
  type ChatInit,
  type ChatState,
  type ChatStatus,
  type UIMessage,
} from 'ai';
import { AS_PERSON } from '@continuo/testkit';

class PlainState implements ChatState<UIMessage> {
  error: Error | undefined = undefined;
  messages: UIMessage[] = [];
  onStatus: (status: ChatStatus) => void = () => undefined;
  #status: ChatStatus = 'ready';

  get status(): ChatStatus {
    return this.#status;
  }

  set status(status: ChatStatus) {
    this.#status = status;
    this.onStatus(status);
  }

  pushMessage = (message: UIMessage) => {
    this.messages = [...this.messages, message];
  };
  popMessage = () => {
    this.messages = this.messages.slice(0, -1);
  };
  replaceMessage = (index: number, message: UIMessage) => {
    this.messages = this.messages.with(index, structuredClone(message));
  };
  snapshot = <T>(thing: T): T => structuredClone(thing);
}

interface PlainInit extends ChatInit<UIMessage> {
  /** Instead of a transport. */
  readonly api?: string;
  readonly fetch?: typeof fetch;
}

export class PlainChat extends AbstractChat<UIMessage> {
  readonly #state: PlainState;

  constructor({ api, fetch: own, ...init }: PlainInit) {
    const state = new PlainState();
    const transport = new DefaultChatTransport({
      headers: AS_PERSON,
      ...(api && { api }),
      ...(own && { fetch: own }),
    });
    super({ transport, ...init, state });
    this.#state = state;
  }

  /** Resolves when it has become that. */
  becomes(wanted: ChatStatus): Promise<void> {
    return new Promise((resolve) => {
      this.#state.onStatus = (status) => {
        if (status === wanted) resolve();
      };
    });
  }
}

/** A message as a test reads it. */
export function shown(message: UIMessage | undefined): unknown[] {
  return (message?.parts ?? []).flatMap((part): unknown[] => {
    if (part.type === 'text' || part.type === 'reasoning') return [[part.type, part.text]];
    if (part.type === 'dynamic-tool') return [[part.toolName, part.state]];
    return part.type === 'step-start' ? [] : [part.type];
  });
}
