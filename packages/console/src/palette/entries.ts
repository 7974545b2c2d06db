// What the palette offers: pages, actions, recent chats, and what a search finds.

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import {
  Archive,
  Keyboard,
  MessageSquare,
  MessagesSquare,
  Plus,
  Settings,
  SunMoon,
  TextSearch,
  Trash2,
} from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import { titleOf } from '../app/chat-entry.tsx';
import { pages } from '../app/pages.ts';
import { chatOf, MODIFIER, palette } from '../app/shortcuts.ts';
import { theme } from '../app/theme.ts';
import { client } from '../data/client.ts';
import { useChats } from '../data/queries.ts';
import { dayOrTime } from '../ui/format.tsx';
import { useOpenFile } from '../files/link-to-file.tsx';
import { iconOf, inWords } from '../knowledge/words.ts';
import { anchorOf, SECTIONS } from '../settings/sections.ts';

export interface Entry {
  readonly key: string;
  readonly group: string;
  readonly label: string;
  readonly icon: LucideIcon;
  /** The kind of a found thing, or when a message was sent. */
  readonly about?: string;
  readonly snippet?: string | null;
  readonly keys?: readonly string[];
  readonly act: () => void;
}

/** How many recent chats, found things (10 chats at most) and found messages are listed. */
const RECENT = 6;
const FOUND = 22;
const MESSAGES = 8;
const IN_CHAT = 50;

type Hit = Awaited<ReturnType<typeof client.search>>['items'][number];

/** Pages, actions and recent chats whose label has the words. */
export function useCommands(words: string): readonly Entry[] {
  const navigate = useNavigate();
  const chats = useChats().data?.pages.flatMap(({ items }) => items) ?? [];
  const wanted = words.trim().toLowerCase();
  const has = (text: string) => text.toLowerCase().includes(wanted);
  const recent = chats
    .filter((chat) => has(titleOf(chat)))
    .slice(0, RECENT)
    .map((chat): Entry => ({
      key: chat.id,
      group: wanted === '' ? 'Recent' : 'Chats',
      label: titleOf(chat),
      icon: MessageSquare,
      act: () => void navigate({ to: '/chats/$chat', params: { chat: chat.id } }),
    }));
  const inChat = chatOf(location.pathname) !== null;
  const actions: Entry[] = [
    {
      key: 'new',
      group: 'Do',
      label: 'New chat',
      icon: Plus,
      keys: [MODIFIER, 'Shift', 'O'],
      act: () => void navigate({ to: '/' }),
    },
    ...(inChat
      ? [
          {
            key: 'in-chat',
            group: 'Do',
            label: 'Search this chat',
            icon: TextSearch,
            keys: [MODIFIER, 'Shift', 'F'],
            act: () => palette.set('chat'),
          },
        ]
      : []),
    {
      key: 'theme',
      group: 'Do',
      label: 'Switch between light and dark',
      icon: SunMoon,
      act: () => theme.set(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'),
    },
    {
      key: 'keys',
      group: 'Do',
      label: 'Keyboard shortcuts',
      icon: Keyboard,
      keys: [MODIFIER, '/'],
      act: () => palette.set('keys'),
    },
  ];
  const places = pages
    .filter(({ label }) => label !== undefined)
    .map(({ label, icon = MessagesSquare, path, to = path }): Entry => ({
      key: path,
      group: 'Go to',
      label: label!,
      icon,
      act: () => void navigate({ to }),
    }));
  const archive: Entry = {
    key: '/archived',
    group: 'Go to',
    label: 'Archived and removed chats',
    icon: Archive,
    act: () => void navigate({ to: '/archived' }),
  };
  const trash: Entry = {
    key: '/trash',
    group: 'Go to',
    label: 'Trash',
    icon: Trash2,
    act: () => void navigate({ to: '/trash' }),
  };
  // Too many to be listed before one types.
  const sections = SECTIONS.map((title): Entry => ({
    key: `/settings#${anchorOf(title)}`,
    group: 'Go to',
    label: `Settings: ${title}`,
    icon: Settings,
    act: () => void navigate({ to: '/settings', hash: anchorOf(title) }),
  }));
  const others = [...actions, ...places, archive, trash, ...(wanted === '' ? [] : sections)];
  return [...recent, ...others.filter(({ label }) => has(label))];
}

/** What a search finds in the workspace, or in one chat. */
export function useFound(words: string, chat: string | null) {
  const open = useOpenHit();
  const question = asTyped(words);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['palette', question, chat],
    queryFn: async ({ signal }) => {
      if (chat !== null)
        return (await client.search({ q: question, chat_id: chat, limit: IN_CHAT }, { signal })).items;
      const [things, messages] = await Promise.all([
        client.search({ q: question, limit: FOUND }, { signal }),
        client.search({ q: question, kinds: 'message', limit: MESSAGES }, { signal }),
      ]);
      return [...things.items, ...messages.items];
    },
    enabled: /[\p{L}\p{N}]/u.test(words),
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  });
  const entries = words.trim() === '' ? [] : (data ?? []).map((hit) => entryOf(hit, chat !== null, open));
  return { entries, error, isFetching, refetch };
}

/** The last word may be unfinished, so it is also looked for as the beginning of a word. */
export function asTyped(words: string): string {
  const text = words.trim();
  const last = /(?<![\p{L}\p{N}"-])[\p{L}\p{N}]{2,}$/u.exec(text)?.[0];
  return last === undefined || text.includes('"') ? text : `${text} ${last}*`;
}

function entryOf(hit: Hit, inChat: boolean, open: (hit: Hit) => void): Entry {
  const { entity_type: kind, entity_id: key, title, path, snippet, message } = hit;
  if (kind === 'chat')
    return { key, group: 'Older chats', label: title, icon: MessageSquare, act: () => open(hit) };
  if (message) {
    const at = dayOrTime(message.at);
    const who = message.role === 'user' ? 'You' : 'Answer';
    return {
      key,
      group: 'Messages',
      label: inChat ? who : title || 'Chat',
      icon: MessageSquare,
      about: inChat ? at : `${who}, ${at}`,
      snippet,
      act: () => open(hit),
    };
  }
  const isFile = kind === 'file';
  return {
    key,
    group: isFile ? 'Files' : 'Projects and documents',
    label: isFile ? (path ?? title) : title,
    icon: iconOf(isFile ? 'document' : kind),
    about: isFile ? '' : inWords(kind),
    snippet,
    act: () => open(hit),
  };
}

function useOpenHit(): (hit: Hit) => void {
  const navigate = useNavigate();
  const openFile = useOpenFile();
  return ({ entity_type: kind, entity_id: id, path, message }) => {
    if (message)
      void navigate({
        to: '/chats/$chat',
        params: { chat: message.chat_id },
        search: message.seq === null ? {} : { at: message.seq },
      });
    else if (kind === 'chat') void navigate({ to: '/chats/$chat', params: { chat: id } });
    else if (kind === 'file') openFile(path ?? '/');
    else if (kind === 'plan') void navigate({ to: '/plans/$plan', params: { plan: id } });
    else void navigate({ to: '/entities/$entity', params: { entity: id } });
  };
}
