// Search in a workspace: names by a part of the path, and everything that has words by words.

import { createRoute, z } from '@hono/zod-openapi';
import type { SearchHit } from '@continuo/protocol';
import { schemas } from '@continuo/protocol';
import { fold } from '../../names/case-folding.ts';
import { searchNames, type Hit } from '../../files/search.ts';
import { WORDS_CHARACTERS } from '../../files/words.ts';
import type { WorkspaceScope } from '../../identity/scope.ts';
import { readEntities } from '../../knowledge/entities.ts';
import { titleOf, type Entity } from '../../knowledge/kind.ts';
import { searchKnowledge, type SearchItem } from '../../knowledge/search.ts';
import { searchMessages, type FoundMessage } from '../../threads/search.ts';
import { listChatFiles, type Chat } from '../../threads/chats/chat-files.ts';
import type { App, HttpContext } from '../app.ts';
import { whileConnected } from '../kernel/client-gone.ts';
import { json, page, problems, wholeNumber } from '../kernel/shared.ts';
import { scopeIn, workspaceParam } from '../kernel/scope.ts';

/** How many of the newest chats the search by name covers. */
const CHATS_SEARCHED = 1000;
/** How many chats are found beside other things, for which they leave room. */
const CHATS_AMONG_OTHERS = 10;
const QUERY_CHARACTERS = 1000;

export function searchRoutes(app: App, { knowledge }: HttpContext): void {
  const known = [...knowledge.kinds.map(({ kind }) => kind), 'file', 'chat', 'message'];

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/workspaces/{id}/search',
      tags: ['knowledge'],
      summary: 'Search entities, documents, files and messages',
      description:
        'Finds what has any of the words, the best match first. `"a phrase"` must occur word for word, `begin*` matches words that begin ' +
        'so, and `-not` must not occur. A word that no text has also matches words that are spelled almost like it. Files and chats ' +
        'whose path or name contains the query come first, except with `in=text` or a project. ' +
        `Of a file, its name and its first ${WORDS_CHARACTERS} characters are searched; of the newest ${CHATS_SEARCHED} chats, the titles, which must have all words. ` +
        `Without \`kinds\`, at most ${CHATS_AMONG_OTHERS} chats are found. ` +
        'Messages are searched if `kinds` has `message`, or with `chat_id`; they come last.',
      request: {
        params: workspaceParam,
        query: z.object({
          q: z.string().trim().min(1).max(QUERY_CHARACTERS),
          in: z.enum(['names', 'text', 'all']).default('all'),
          project_id: z.uuid().optional().openapi({ description: 'Only what is in this project.' }),
          chat_id: z.uuid().optional().openapi({ description: 'Only the messages of this chat.' }),
          kinds: z
            .string()
            .max(500)
            .transform((list) => list.split(',').map((kind) => kind.trim()))
            .refine((kinds) => kinds.every((kind) => known.includes(kind)), {
              error: `must be some of ${known.join(', ')}, separated by commas`,
            })
            .optional()
            .openapi({
              type: 'string',
              description: `One or several of ${known.join(', ')}, separated by commas.`,
              example: 'task,document',
            }),
          limit: wholeNumber(1, 100).default(20),
        }),
      },
      responses: {
        200: json(page(schemas.searchHit), 'The best first, names before texts, folders last'),
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const {
        q: query,
        in: where,
        project_id: projectId,
        chat_id: chatId,
        kinds,
        limit,
      } = c.req.valid('query');
      const scope = await scopeIn(c);
      const messages =
        chatId === undefined && !kinds?.includes('message')
          ? []
          : await whileConnected(c.env.outgoing, (signal) =>
              searchMessages(scope.db, scope.workspaceId, { query, chatId, limit, signal }),
            );
      const onlyMessages = chatId !== undefined || kinds?.every((kind) => kind === 'message');
      if (onlyMessages) return c.json({ items: messages.map(messageHit), next: null }, 200);
      const isWanted = ({ entity_type }: SearchHit) => !kinds || kinds.includes(entity_type);
      const items: SearchHit[] = [];
      // Files in a folder of that name come last.
      const inFolders: SearchHit[] = [];
      if (where !== 'text' && projectId === undefined) {
        for (const hit of (await namedFiles(scope, query, limit)).filter(isWanted))
          (fold(hit.path!.slice(hit.path!.lastIndexOf('/'))).includes(fold(query)) ? items : inFolders).push(
            hit,
          );
        const chats = kinds && !kinds.includes('chat') ? [] : await namedChats(scope, query);
        items.push(...(kinds ? chats : chats.slice(0, CHATS_AMONG_OTHERS)));
      }
      if (where !== 'names') {
        const found = await whileConnected(c.env.outgoing, (signal) =>
          searchKnowledge(scope.db, scope.workspaceId, { query, projectId, kinds, limit, signal }),
        );
        merge(items, found.map(wordHit));
      }
      const known = new Set(items.map(({ entity_id }) => entity_id));
      items.push(...inFolders.filter(({ entity_id }) => !known.has(entity_id)));
      items.push(...messages.map(messageHit));
      return c.json({ items: items.slice(0, limit), next: null }, 200);
    },
  );
}

/** Adds what was found by words; what was found by its name, too, gets the snippet and the score. */
function merge(items: SearchHit[], found: readonly SearchHit[]): void {
  const places = new Map(items.map(({ entity_id }, index) => [entity_id, index]));
  for (const hit of found) {
    const place = places.get(hit.entity_id);
    if (place === undefined) items.push(hit);
    else items[place] = { ...hit, found_in: 'name' };
  }
}

function wordHit(item: SearchItem): SearchHit {
  const { path, entity_id, snippet } = item;
  return { ...item, found_in: snippet === null ? 'name' : 'text', id: path === null ? null : entity_id };
}

async function namedFiles(
  { db, workspaceId }: WorkspaceScope,
  words: string,
  limit: number,
): Promise<SearchHit[]> {
  const hits = await searchNames(db, workspaceId, { words, limit });
  const ids = hits.map(({ id }) => id);
  const documents = ids.length === 0 ? new Map() : await readEntities(db, workspaceId, ids);
  return hits.map((hit) => fileHit(hit, documents.get(hit.id)));
}

function fileHit(hit: Hit, entity: Entity | undefined): SearchHit {
  const document = entity?.removed_at === null ? entity : null;
  return {
    ...hit,
    entity_type: document ? document.kind : 'file',
    entity_id: hit.id,
    project_id: document?.project_id ?? null,
    title: document ? titleOf(document) : nameOf(hit.path),
    snippet: null,
    score: 0,
    found_in: 'name',
  };
}

async function namedChats({ db, workspaceId }: WorkspaceScope, words: string): Promise<SearchHit[]> {
  const chats = await listChatFiles(db, workspaceId, { after: null, limit: CHATS_SEARCHED });
  const name = fold(words);
  const parts = partsOf(name);
  const hasAll = (title: string) => parts.length > 0 && parts.every((part) => title.includes(part));
  return chats.filter(({ path, title }) => fold(path).includes(name) || hasAll(fold(title))).map(chatHit);
}

/** The words of a question, without its marks: `"a phrase"`, `begin*`, `-not`. */
function partsOf(question: string): string[] {
  return question
    .split(/\s+/)
    .filter((word) => !word.startsWith('-'))
    .map((word) => word.replaceAll(/^"|[*"]+$/g, ''))
    .filter((word) => word !== '');
}

function chatHit({ threadId, title, path, version }: Chat): SearchHit {
  return {
    entity_type: 'chat',
    entity_id: threadId,
    project_id: null,
    title: title || nameOf(path),
    snippet: null,
    score: 0,
    found_in: 'name',
    path,
    kind: 'chat',
    id: null,
    version,
    size: null,
  };
}

function messageHit({
  message_id,
  thread_id,
  title,
  role,
  seq,
  created_at,
  score,
  snippet,
}: FoundMessage): SearchHit {
  return {
    entity_type: 'message',
    entity_id: message_id,
    project_id: null,
    title: title ?? '',
    snippet,
    score,
    found_in: 'text',
    path: null,
    kind: null,
    id: null,
    version: null,
    size: null,
    message: { chat_id: thread_id, role, seq, at: created_at.toISOString() },
  };
}

/** The name of a file without its extension, as the database makes the title of a file. */
function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
}
