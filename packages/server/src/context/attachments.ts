// What is in the workspace's files and not in the log, for the model that is about to answer: the images that a run's own
// results refer to, and the files that came with people's messages.

import type { AttachedFile, ImageReference } from '@continuo/protocol';
import type { Queryable } from '../db/pool.ts';
import type { HistoryFile, HistoryMessage } from '../models/model.ts';
import { IMAGE_BYTES } from '../files/images.ts';
import { bytes } from '../files/tools/format.ts';
import { asText, readWhole } from '../files/content.ts';
import { readVersion } from '../files/versions.ts';
import type { ThreadState } from '../threads/fold.ts';

/** Images and PDFs at most that a model is shown again with each call; the latest count. */
const SHOWN = 10;
/** Bytes of an attached text that the model is shown at once, and of all that came with one message. */
const TEXT_BYTES = 16 * 1024;
const TEXTS_BYTES = 64 * 1024;

const SHOWABLE = /^(image\/(png|jpeg|gif|webp)|application\/pdf)$/;

type Entry = ThreadState['history'][number];

/** What the model at hand cannot be shown. */
type Refused = readonly { readonly file: string; readonly v: number }[];

/** What the model is given. */
interface WithImages {
  readonly history: ThreadState['history'];
  /** Ids of the files that came with the run's own messages and whose content the model is shown. */
  readonly sources: readonly string[];
}

export async function withImages(
  client: Queryable,
  history: ThreadState['history'],
  runId: string,
  refused: Refused = [],
): Promise<WithImages> {
  if (!history.some((each) => each.attached || each.images)) return { history, sources: [] };
  const shown = new Set(shownFiles(history, runId, refused).map(({ file }) => file));
  const sources = new Set<string>();
  const filled = await Promise.all(
    history.map(async (each) => {
      const { entry } = each;
      if (entry.role !== 'tool' && entry.role !== 'user') return each;
      const files: HistoryFile[] = [];
      for (const image of imagesOf(each, runId)) {
        const data = shown.has(image) ? await read(client, image) : null;
        if (data) files.push({ mediaType: image.media_type, data });
        if (data && entry.role === 'user' && each.runId === runId) sources.add(image.file);
      }
      if (entry.role === 'user') {
        const texts = await shownTexts(client, each, runId);
        for (const { file } of texts.keys()) sources.add(file);
        return { ...each, entry: withNote(each, entry, { texts, files, refused }) };
      }
      return files.length === 0 ? each : { ...each, entry: { ...entry, files } };
    }),
  );
  // In the order in which they were attached, not in that in which they were read.
  const attached = history.flatMap((each) => (each.attached ?? []).map(({ file }) => file));
  return { history: filled, sources: [...new Set(attached)].filter((file) => sources.has(file)) };
}

/** The images and PDFs that the model is shown, and the place of each in the history. */
export function shownFiles(
  history: ThreadState['history'],
  runId: string,
  refused: Refused,
): { readonly file: ImageReference | AttachedFile; readonly at: number }[] {
  return history
    .flatMap((each, at) => imagesOf(each, runId).map((file) => ({ file, at })))
    .filter(({ file }) => !isIn(refused, file))
    .slice(-SHOWN);
}

function isIn(refused: Refused, { file, v }: Refused[number]): boolean {
  return refused.some((each) => each.file === file && each.v === v);
}

/** A result's images are shown in its own run; what a person attached, in later ones, too. */
function imagesOf({ runId: own, images = [], attached = [] }: Entry, runId: string) {
  return [...(own === runId ? images : []), ...attached.filter(isShowable)];
}

/** An SVG is a text. */
function isShowable({ media_type, size }: AttachedFile): boolean {
  return SHOWABLE.test(media_type) && size <= IMAGE_BYTES;
}

/** The attached texts that the model is shown in full: short ones, in the run that the message belongs to. */
async function shownTexts(
  client: Queryable,
  { runId: own, attached = [] }: Entry,
  runId: string,
): Promise<ReadonlyMap<AttachedFile, string>> {
  const texts = new Map<AttachedFile, string>();
  // Later runs may read the file with a tool, and then see its newest version.
  if (own !== runId) return texts;
  let left = TEXTS_BYTES;
  for (const file of attached) {
    if (file.size > Math.min(TEXT_BYTES, left) || isShowable(file)) continue;
    const data = await read(client, file);
    const text = data && asText(data);
    if (!text) continue;
    left -= file.size;
    texts.set(file, text);
  }
  return texts;
}

interface Shown {
  readonly texts: ReadonlyMap<AttachedFile, string>;
  readonly files: readonly HistoryFile[];
  readonly refused: Refused;
}

/** A person's message, followed by a line for each of its files. */
function withNote(
  { attached }: Entry,
  entry: Extract<HistoryMessage, { role: 'user' }>,
  { texts, files, refused }: Shown,
): HistoryMessage {
  if (!attached) return entry;
  const lines = attached.map((file) => {
    const hidden = isIn(refused, file) ? '; you cannot be shown it' : '';
    const what = `${file.path}, version ${file.v}, ${bytes(file.size)}${hidden}`;
    const text = texts.get(file);
    return text ? `[Attached: ${what}. It says:]\n${text}\n[End of ${file.path}]` : `[Attached: ${what}]`;
  });
  return { ...entry, ...(files.length > 0 && { files }), note: lines.join('\n') };
}

async function read(
  client: Queryable,
  { file, v }: { readonly file: string; readonly v: number },
): Promise<Buffer | null> {
  const version = await readVersion(client, file, v);
  return version && readWhole(client, version.chunks);
}
