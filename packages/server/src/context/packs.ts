// Reads packs. A pack comes from one bundle query. Bundles are cached; before a cached one is used, the position of the change feed
// and the policy are compared with those that it was read at, so a prompt is the same as without a cache. Only a workspace without
// projects trusts the bus instead, so that its messages ask the database for nothing.

import type { PolicyRule, ThreadScope } from '@continuo/protocol';
import type { Bus } from '../bus/bus.ts';
import type { Pool } from '../db/pool.ts';
import { FILES_CHANGED } from '../files/topics.ts';
import { BUDGETS } from './budgets.ts';
import { readBundle, readStamp, type Bundle, type BundleKey, type Stamp } from './bundle.ts';
import type { Layers } from './layers.ts';
import { packOf, type ScopePack } from './pack.ts';
import { activityPart, documentPart, instructionParts, modePart, scopeParts } from './parts.ts';
import type { ContextPart, LeftOut, PackParts, PackQuestion, Packs } from './request.ts';
import {
  chooseDocuments,
  createDocumentLoader,
  type LoadedDocument,
  type RetrievalHints,
} from './retrieval.ts';

/** How long a bundle is cached at most. */
const TTL_MS = 60_000;
/** How many bundles are cached, and how many documents in all of them together. The oldest is evicted first. */
const BUNDLES_KEPT = 500;
const DOCUMENTS_KEPT = 50_000;

interface ReadPack {
  readonly pack: ScopePack;
  readonly parts: readonly ContextPart[];
}

interface CachedBundle {
  readonly bundle: Bundle;
  readonly readAt: number;
  readonly documents: number;
  /** Set by the bus: something changed in the workspace. */
  isStale: boolean;
  /** By ratio and permissions. */
  readonly packs: Map<string, ReadPack | null>;
}

interface PacksOptions {
  readonly pool: Pool;
  readonly layers: Layers;
  readonly bus: Bus | null;
  readonly now: () => number;
}

const NOTHING: PackParts = { system: [], turn: [], leftOut: [], sources: [], feedSeq: null };

export function createPacks({ pool, layers, bus, now }: PacksOptions): Packs {
  const cache = new BundleCache(now);
  const load = createDocumentLoader(pool);
  bus?.subscribe(FILES_CHANGED, {
    message: ({ workspaceId }) => cache.markStale(workspaceId),
    rescan: () => cache.markStale(null),
  });

  const bundleFor = async (key: BundleKey): Promise<CachedBundle | null> => {
    const known = cache.get(key);
    const isCurrent =
      known &&
      (isEmpty(known.bundle)
        ? !known.isStale
        : isSame(known.bundle.stamp, await readStamp(pool, key.workspaceId)));
    if (isCurrent) return known;
    const changes = cache.changes;
    const bundle = await readBundle(pool, key);
    // A change that was announced meanwhile may not be in the bundle.
    return bundle && cache.put(key, bundle, changes !== cache.changes);
  };
  const packFor = async (
    workspaceId: string,
    scope: ThreadScope,
    { permissions, ratio = 1 }: { readonly permissions: readonly PolicyRule[]; readonly ratio?: number },
  ): Promise<(ReadPack & { readonly feedSeq: number }) | null> => {
    const cached = await bundleFor({
      workspaceId,
      projectId: scope.project_id,
      entityId: scope.entity_id ?? null,
    });
    if (!cached) return null;
    const key = `${ratio} ${permissions.length === 0 ? '' : JSON.stringify(permissions)}`;
    let read = cached.packs.get(key);
    if (read === undefined) {
      const pack = packOf(cached.bundle, permissions, ratio);
      read = pack && { pack, parts: scopeParts(layers, pack) };
      cached.packs.set(key, read);
    }
    return read && { ...read, feedSeq: cached.bundle.stamp.feedSeq };
  };

  return {
    instructions: (agent) => instructionParts(layers, agent),
    async read({ workspaceId, scope, agent, message, mode, ratio }: PackQuestion): Promise<PackParts> {
      const read = await packFor(workspaceId, scope, { permissions: agent.permissions, ratio });
      if (!read) return NOTHING;
      const { pack, parts: system, feedSeq } = read;
      if (pack.scope === 'global') return { ...NOTHING, system };
      const activity = activityPart(pack);
      const documents = await retrieve(pack, message);
      return {
        system,
        turn: [
          ...(activity ? [activity] : []),
          ...documents.parts,
          ...(mode ? [modePart(layers, mode)] : []),
        ],
        leftOut: documents.leftOut,
        sources: documents.sources,
        feedSeq,
      };
    },
    async prewarm({ workspaceId, scope, permissions, message, agentState, maxTokens }) {
      const read = await packFor(workspaceId, scope, { permissions });
      if (!read) return null;
      const { pack, parts, feedSeq } = read;
      const { documentPath: _, ...data } = pack.data;
      const isLayer = ({ source }: ContextPart) =>
        source.kind === 'text' && source.name.startsWith('prompts/');
      return {
        pack: {
          scope: pack.scope,
          focus: pack.focus,
          systemInstructions: [layers.base, ...parts.filter(isLayer).map(({ text }) => text)].join('\n\n'),
          data: { ...data, agentState },
          retrievalHints: hintsFor(pack, message),
          budgets: { ...BUDGETS, maxTokens },
        },
        parts,
        feedSeq,
      };
    },
  };

  async function retrieve(pack: ScopePack, message: string) {
    const { index } = pack;
    const { docIds } = hintsFor(pack, message);
    const loaded = await Promise.all(docIds.map((id) => load(index!.documents.get(id)!)));
    const found = loaded.filter((each): each is LoadedDocument => each !== null && each.text !== '');
    return {
      parts: found.map((each) => documentPart(index!, each)),
      sources: found.map(({ document }) => document.id),
      leftOut: found.flatMap(({ document, bytesLeftOut }): LeftOut[] =>
        bytesLeftOut === 0
          ? []
          : [
              {
                what: `the rest of the document ${document.title}`,
                why: 'a turn gets the beginning of a document',
                tokens: Math.ceil(bytesLeftOut / 4),
              },
            ],
      ),
    };
  }
}

function hintsFor({ index, focus }: ScopePack, message: string): RetrievalHints {
  if (index === null) return { keywords: [], docIds: [] };
  return chooseDocuments(index, message, focus.entityType === 'document' ? focus.entityId! : null);
}

/** The workspace has no projects. */
function isEmpty({ about }: Bundle): boolean {
  return about.scope === 'global' && about.count === 0;
}

function isSame(stamp: Stamp, now: Stamp | null): boolean {
  return now !== null && stamp.feedSeq === now.feedSeq && stamp.policy === now.policy;
}

class BundleCache {
  readonly #now: () => number;
  readonly #kept = new Map<string, CachedBundle>();
  #documents = 0;
  /** How many changes were announced. */
  changes = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  get(key: BundleKey): CachedBundle | null {
    const known = this.#kept.get(nameOf(key));
    return known && this.#now() - known.readAt < TTL_MS ? known : null;
  }

  put(key: BundleKey, bundle: Bundle, isStale: boolean): CachedBundle {
    const name = nameOf(key);
    this.#evict(name);
    const documents = bundle.about.scope === 'global' ? 0 : bundle.about.documents.length;
    const cached = { bundle, readAt: this.#now(), documents, isStale, packs: new Map() };
    this.#kept.set(name, cached);
    this.#documents += documents;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= BUNDLES_KEPT && this.#documents <= DOCUMENTS_KEPT) break;
      this.#evict(oldest);
    }
    return cached;
  }

  /** Null: every workspace. */
  markStale(workspaceId: string | null): void {
    this.changes += 1;
    for (const [name, cached] of this.#kept)
      if (workspaceId === null || name.startsWith(workspaceId)) cached.isStale = true;
  }

  #evict(name: string): void {
    this.#documents -= this.#kept.get(name)?.documents ?? 0;
    this.#kept.delete(name);
  }
}

function nameOf({ workspaceId, projectId, entityId }: BundleKey): string {
  return `${workspaceId} ${projectId ?? ''} ${entityId ?? ''}`;
}
