// The author of a version: a person, a key, someone on disk, or an agent with a link to its chat.

import { Link } from '@tanstack/react-router';
import { Bot, HardDrive, KeyRound, Route, User } from 'lucide-react';
import { titleOf } from '../app/chat-entry.tsx';
import { useChat } from '../data/queries.ts';
import { Visible } from '../ui/visible.tsx';
import type { Version } from './queries.ts';

type Author = Version['author'];

const ICONS = { person: User, key: KeyRound, disk: HardDrive, plan: Route, run: Bot } as const;

export function AuthorName({ author }: { readonly author: Author }) {
  const Icon = ICONS[author.kind];
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5">
      <Icon className="size-3.5 shrink-0" aria-hidden="true" />
      <Visible text={capitalized(authorWords(author))} />
    </span>
  );
}

/** The chat and the call with which an agent made the version. */
export function AuthorOrigin({ author }: { readonly author: Author }) {
  return author.kind === 'run' ? <InChat thread={author.thread} call={author.call} /> : null;
}

function InChat({ thread, call }: { readonly thread: string; readonly call: string }) {
  const { data: chat } = useChat(thread);
  return (
    <span className="flex min-w-0 items-baseline gap-1 text-xs text-soft">
      in
      <Link
        to="/chats/$chat"
        params={{ chat: thread }}
        className="truncate text-ink underline decoration-strong underline-offset-2 hover:decoration-current"
      >
        <Visible text={chat ? titleOf(chat) : 'its chat'} />
      </Link>
      <code className="max-w-24 shrink-0 truncate font-mono" title={`Call ${call}`}>
        {call}
      </code>
    </span>
  );
}

/** For the middle of a sentence. */
export function authorWords(author: Author): string {
  switch (author.kind) {
    case 'person':
      return 'a person';
    case 'key':
      return `the key ${author.name}`;
    case 'disk':
      return 'someone on disk';
    case 'plan':
      return 'the progress of the plan';
    case 'run':
      return 'an agent';
  }
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
