// The images that a run's own results refer to: the log has their ids and versions, the workspace their bytes.

import type { Queryable } from '../db/pool.ts';
import type { HistoryFile } from '../models/model.ts';
import { readWhole } from '../workspace/content.ts';
import { readVersion } from '../workspace/files.ts';
import type { ThreadState } from './fold.ts';

/** Images at most that a model is shown again with each call; the latest count. */
const SHOWN = 10;

export async function withImages(
  client: Queryable,
  history: ThreadState['history'],
  runId: string,
): Promise<ThreadState['history']> {
  const isOwn = ({ runId: own, images }: ThreadState['history'][number]) =>
    own === runId && images !== undefined;
  if (!history.some(isOwn)) return history;
  const shown = new Set(
    history
      .filter(isOwn)
      .flatMap(({ images }) => images!)
      .slice(-SHOWN),
  );
  return Promise.all(
    history.map(async (each) => {
      if (!isOwn(each) || each.entry.role !== 'tool') return each;
      const files: HistoryFile[] = [];
      for (const image of each.images!) {
        const version = shown.has(image) ? await readVersion(client, image.file, image.v) : null;
        if (version)
          files.push({ mediaType: image.media_type, data: await readWhole(client, version.chunks) });
      }
      return { ...each, entry: { ...each.entry, files } };
    }),
  );
}
