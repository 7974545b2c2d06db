// Files: the workspaces' files, their change feed and word index, and the folders on disk.

import type { Bus } from '../bus/bus.ts';
import { readChangeRows, subscribeChangeFollowers, type ChangeRow } from '../files/changes.ts';
import { createMirrors, subscribeMirrors, type DiskMirrors } from '../files/mirror/mirrors.ts';
import { startIndexer, subscribeIndexer, type Indexer } from '../files/words.ts';
import { Workspaces } from '../files/workspace-files.ts';
import { FollowersOf } from '../log/follow.ts';
import { createChatHeads, subscribeChatMirror } from '../threads/chats/chat-heads.ts';
import type { Database } from './database.ts';
import type { PodStatus, ServerOptions } from './options.ts';

export interface Files {
  readonly workspaces: Workspaces;
  readonly changes: FollowersOf<ChangeRow>;
  readonly indexer: Indexer;
  readonly mirrors: DiskMirrors;
}

export function wireFiles(
  { config, log, faults }: ServerOptions,
  { pool, direct, onError }: Database,
  bus: Bus,
  pod: PodStatus,
): Files {
  const workspaces = new Workspaces({
    bus,
    maxFileBytes: config.maxFileBytes,
    quotaBytes: config.workspaceBytes,
  });
  const changes = new FollowersOf(pool, onError, readChangeRows);
  subscribeChangeFollowers(bus, changes);
  const indexer = startIndexer(pool, onError);
  subscribeIndexer(bus, indexer);
  const mirrors = createMirrors({
    pool,
    database: direct,
    home: config.home,
    workspaces,
    log,
    now: () => new Date(),
    faults,
    chats: createChatHeads(pool, () => pod.holding() > 0),
  });
  workspaces.attach(mirrors);
  subscribeMirrors(bus, mirrors);
  subscribeChatMirror(bus, mirrors);
  return { workspaces, changes, indexer, mirrors };
}
