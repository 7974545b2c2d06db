// The AI SDK's own chat, without React: what `useChat` does, on plain state.

import {
  AbstractChat,
  DefaultChatTransport,
  type ChatInit,
  type ChatState,
  type ChatStatus,
  type UIMessage,
} from 'ai';

class PlainState implements ChatState<UIMessage> {
  status: ChatStatus = 'ready';
  error: Error | undefined = undefined;
  messages: UIMessage[] = [];
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

export class PlainChat extends AbstractChat<UIMessage> {
  constructor({
    api,
    ...init
  }: Omit<ChatInit<UIMessage>, 'transport'> & { api: string; fetch?: typeof fetch }) {
    const transport = new DefaultChatTransport({ api, ...(init.fetch && { fetch: init.fetch }) });
    super({ ...init, transport, state: new PlainState() });
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
