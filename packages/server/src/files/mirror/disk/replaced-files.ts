// Replaced files that a program may still have open. Anything still written to them is saved like any other edit.

import { close } from './calls.ts';
import type { Disk } from './disk.ts';
import { QUIET_MS } from '../in/path-debounce.ts';
import { keep, readThrough, saysVersion } from '../in/ingest.ts';
import { alike, identityAt, same } from './tree.ts';
import type { Part } from '../out/write.ts';

/** How long a replaced file is kept open after its last change, and how many are kept at most. */
const REPLACED_MS = 10_000;
const MOST_REPLACED = 64;

interface Held extends Part {
  /** Its content when it was last saved, if no version has exactly that content. */
  readonly draft?: Buffer | undefined;
  readonly until: number;
}

export class ReplacedFiles {
  readonly #held = new Map<string, Held>();

  /** When the next replaced file is due for a check. */
  get next(): number {
    let next = Infinity;
    for (const held of this.#held.values()) next = Math.min(next, held.until);
    return next;
  }

  hold(part: Part): void {
    if (this.#held.size >= MOST_REPLACED) {
      const [oldest] = this.#held.values();
      this.#held.set(oldest!.capture, { ...oldest!, until: 0 });
    }
    this.#keep(part, part.changed ? QUIET_MS : REPLACED_MS);
  }

  /** A program has written to the replaced file. */
  onEvent(capture: string): void {
    const held = this.#held.get(capture);
    if (held) this.#keep(held, QUIET_MS);
  }

  /** Checks the replaced files that are due; false if none is. */
  async look(disk: Disk, now: number): Promise<boolean> {
    const due = [...this.#held.values()].filter((held) => held.until <= now);
    for (const held of due) await this.#check(disk, held);
    return due.length > 0;
  }

  close(): void {
    for (const held of this.#held.values()) close(held.fd);
    this.#held.clear();
  }

  #keep(held: Omit<Held, 'until'>, forMs: number): void {
    this.#held.set(held.capture, { ...held, until: performance.now() + forMs });
  }

  async #check(disk: Disk, held: Held): Promise<void> {
    if (same(await identityAt(held.fd), held.identity)) {
      close(held.fd);
      this.#held.delete(held.capture);
      return;
    }
    const content = await readThrough(held.fd, disk.maxFileBytes);
    if (typeof content === 'string') return this.#keep(held, QUIET_MS);
    const { bytes, identity } = content;
    if (alike(identity, held.identity) && (await saysVersion(disk, held.entry, bytes)))
      return this.#keep({ ...held, identity }, REPLACED_MS);
    const outcome = await keep(disk, held.path, bytes, held.entry, held.draft);
    const at = outcome.kind === 'refused' ? null : outcome.at;
    const next = {
      ...held,
      path: at?.path ?? held.path,
      entry: at ? { ...held.entry, file: at.file, version: at.version } : held.entry,
      draft: at ? undefined : bytes,
      identity,
    };
    this.#keep(next, REPLACED_MS);
    if (outcome.kind === 'refused')
      disk.log.warn(
        { workspace: disk.workspaceId, path: held.path, why: outcome.why },
        'an edit of a replaced file could not be kept',
      );
    else if (outcome.file) disk.requestRewrite(outcome.file);
  }
}
