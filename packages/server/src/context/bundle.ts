// The context bundle: everything that a pack needs from the database, in one statement. It holds no content of documents.

import type { PolicyRule } from '@continuo/protocol';
import type { Queryable } from '../db/pool.ts';
import type { Entity } from '../knowledge/kind.ts';
import { DEFAULT_POLICY } from '../workspaces/policies.ts';

/** The change feed's position and the policy: a bundle that was read at the same stamp is the same. */
export interface Stamp {
  readonly feedSeq: number;
  readonly policy: string | null;
}

/** A short line about an entity. `path` is set if it is a document. */
export interface BundleEntity {
  readonly id: string;
  readonly version: number;
  readonly kind: string;
  readonly title: string;
  readonly state: string | null;
  readonly path: string | null;
}

export interface BundleLink extends BundleEntity {
  readonly rel: string;
  /** The entity in focus is where the edge begins. */
  readonly outgoing: boolean;
}

export interface BundleDocument {
  readonly id: string;
  readonly parent_id: string;
  readonly position: number;
  readonly title: string;
  readonly description: string | null;
  readonly content_length: number;
  /** Of its file. */
  readonly version: number;
  readonly path: string;
}

interface BundleProject {
  readonly id: string;
  readonly version: number;
  readonly title: string;
  readonly state: string | null;
  readonly purpose: string | null;
  readonly path: string;
  readonly documents: number;
}

export interface ProjectBundle {
  readonly scope: 'project';
  readonly project: Entity;
  readonly folder: string;
  readonly structureVersion: number;
  /** How many entities of each kind and state. */
  readonly counts: readonly (readonly [kind: string, state: string | null, count: number])[];
  readonly documents: readonly BundleDocument[];
  /** What changed last, the latest first. */
  readonly changed: readonly BundleEntity[];
  /** The entity in focus; null without one, or if it is gone. */
  readonly entity: Entity | null;
  readonly links: readonly BundleLink[];
}

export interface GlobalBundle {
  readonly scope: 'global';
  /** The projects that changed last. */
  readonly projects: readonly BundleProject[];
  /** Of all projects. */
  readonly count: number;
}

export interface Bundle {
  readonly stamp: Stamp;
  readonly rules: readonly PolicyRule[];
  readonly about: ProjectBundle | GlobalBundle;
}

export interface BundleKey {
  readonly workspaceId: string;
  readonly projectId: string | null;
  readonly entityId: string | null;
}

type DocumentRow = [string, string, number, string, string | null, number, number, string];
interface Row extends Omit<ProjectBundle, 'scope' | 'documents' | 'structureVersion'> {
  readonly feed_seq: number;
  readonly policy: { readonly rules: readonly PolicyRule[] } | null;
  readonly structure_version: number;
  readonly documents: readonly DocumentRow[];
}

/** Null if there is no such workspace or project. */
export async function readBundle(
  client: Queryable,
  { workspaceId, projectId, entityId }: BundleKey,
): Promise<Bundle | null> {
  const { rows } = await client.query<{ bundle: string | null }>({
    name: 'context_bundle',
    text: 'select context_bundle($1, $2, $3) as bundle',
    values: [workspaceId, projectId, entityId],
  });
  const text = rows[0]!.bundle;
  if (text === null) return null;
  const row = JSON.parse(text) as Row & Omit<GlobalBundle, 'scope'>;
  const stamp = { feedSeq: row.feed_seq, policy: row.policy && JSON.stringify(row.policy) };
  const rules = row.policy?.rules ?? DEFAULT_POLICY;
  if (projectId === null)
    return { stamp, rules, about: { scope: 'global', projects: row.projects, count: row.count } };
  const { project, folder, counts, changed, entity, links } = row;
  const documents = row.documents.map(toDocument);
  const structureVersion = row.structure_version;
  return {
    stamp,
    rules,
    about: {
      scope: 'project',
      project,
      folder,
      structureVersion,
      counts,
      documents,
      changed,
      entity,
      links,
    },
  };
}

function toDocument(row: DocumentRow): BundleDocument {
  const [id, parent_id, position, title, description, content_length, version, path] = row;
  return { id, parent_id, position, title, description, content_length, version, path };
}

/** Null if there is no such workspace. */
export async function readStamp(client: Queryable, workspaceId: string): Promise<Stamp | null> {
  const { rows } = await client.query<{ change_seq: string; policy: string | null }>({
    name: 'context_stamp',
    text: 'select change_seq, policy from workspaces where id = $1 and removed_at is null',
    values: [workspaceId],
  });
  if (!rows[0]) return null;
  const { change_seq, policy } = rows[0];
  return { feedSeq: Number(change_seq), policy: policy && JSON.stringify(JSON.parse(policy)) };
}
