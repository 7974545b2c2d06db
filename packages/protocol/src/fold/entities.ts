// Keeps entities equal to the database by their patches. A patch applies only to the version before its own, so a patch that comes
// twice, in a run's log and in the change feed, counts once.

import type { EntityPatch } from '../events.ts';
import type { PatchOperation } from '../knowledge.ts';

/** An entity, or a document structure, as a client holds it. */
export interface HeldEntity {
  readonly version: number;
  readonly [member: string]: unknown;
}

/** A patch that does not fit: a version is missing in between, so the entity must be read again. */
export class PatchError extends Error {
  readonly code = 'patch_error';
}

/** The entity after a patch; the same one if it has the patch already. `held` is undefined if the client does not know it yet. */
export function applyEntityPatch(
  held: HeldEntity | undefined,
  { version, patch }: Pick<EntityPatch, 'version' | 'patch'>,
): HeldEntity {
  if (held && held.version >= version) return held;
  if (!held && !isWhole(patch))
    throw new PatchError('the entity is not known, and the patch does not hold all of it');
  if (held && held.version + 1 !== version)
    throw new PatchError(`the patch is for version ${version - 1}, and the entity is at ${held.version}`);
  return applyPatch(held, patch) as HeldEntity;
}

function isWhole([first]: readonly PatchOperation[]): boolean {
  return first?.op === 'add' && first.path === '';
}

/** Applies a JSON Patch (RFC 6902) with the operations add, remove, replace and move. The value itself is not changed. */
export function applyPatch(value: unknown, patch: readonly PatchOperation[]): unknown {
  const root = { value: structuredClone(value) };
  for (const operation of patch) applyOperation(root, operation);
  return root.value;
}

function applyOperation(root: { value: unknown }, { op, path, from, value }: PatchOperation): void {
  switch (op) {
    case 'add':
    case 'replace':
      return put(root, path, structuredClone(value), op);
    case 'remove':
      return void take(root, path);
    case 'move':
      return put(root, path, take(root, from!), 'add');
  }
}

type Holder = unknown[] | Record<string, unknown>;

/** The object or array that holds the place that a pointer names, and the place's name in it. */
function find(root: { value: unknown }, pointer: string): readonly [Holder, string] {
  const names = ['value', ...pointer.split('/').slice(1)].map((name) =>
    name.replaceAll('~1', '/').replaceAll('~0', '~'),
  );
  let holder: unknown = root;
  for (const name of names.slice(0, -1)) {
    holder = Array.isArray(holder) ? holder[Number(name)] : (holder as Record<string, unknown>)[name];
    if (typeof holder !== 'object' || holder === null) throw new PatchError(`there is nothing at ${pointer}`);
  }
  return [holder as Holder, names.at(-1)!];
}

function put(root: { value: unknown }, pointer: string, value: unknown, op: 'add' | 'replace'): void {
  const [holder, name] = find(root, pointer);
  if (!Array.isArray(holder)) {
    Object.defineProperty(holder, name, { value, writable: true, enumerable: true, configurable: true });
    return;
  }
  const index = name === '-' ? holder.length : Number(name);
  if (!Number.isInteger(index) || index < 0 || index > holder.length)
    throw new PatchError(`there is nothing at ${pointer}`);
  holder.splice(index, op === 'add' ? 0 : 1, value);
}

function take(root: { value: unknown }, pointer: string): unknown {
  const [holder, name] = find(root, pointer);
  if (Array.isArray(holder)) {
    if (!(Number(name) < holder.length)) throw new PatchError(`there is nothing at ${pointer}`);
    return holder.splice(Number(name), 1)[0];
  }
  if (!Object.hasOwn(holder, name)) throw new PatchError(`there is nothing at ${pointer}`);
  const value = holder[name];
  delete holder[name];
  return value;
}
