// Adds the content of workspace files to the history that a model is shown: images that the results of the run's own calls
// refer to, and files that people attached to messages. The log holds only references to them.

import type { AttachedFile, ImageReference } from '@continuo/protocol';
import type { Queryable } from '../db/pool.ts';
import type { HistoryFile, HistoryMessage } from '../models/model.ts';
import { IMAGE_BYTES } from '../files/images.ts';
import { bytes } from '../files/tools/format.ts';
import { asText, readWhole } from '../files/content.ts';
import { readVersion } from '../files/versions.ts';
import type { ThreadState } from '../threads/fold.ts';

/** Maximum number of images and PDFs in a model call. The latest ones are shown. */
const SHOWN = 10;
/** Maximum bytes of an attached text that the model is shown in full, and of all texts of one message together. */
const TEXT_BYTES = 16 * 1024;
const TEXTS_BYTES = 64 * 1024;

const SHOWABLE = /^(image\/(png|jpeg|gif|webp)|application\/pdf)$/;

type Entry = ThreadState['history'][number];

/** Files that the model's provider refused. */
type Refused = readonly { readonly file: string; readonly v: number }[];

interface WithImages {
  readonly history: ThreadState['history'];
  /** Ids of files that are attached to the run's own messages and whose content the model is shown. */
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
  // In the order of attachment, not in the order in which the reads finished.
  const attached = history.flatMap((each) => (each.attached ?? []).map(({ file }) => file));
  return { history: filled, sources: [...new Set(attached)].filter((file) => sources.has(file)) };
}

/** The images and PDFs that the model is shown, each with its index in the history. */
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

/** The images of a result are shown only in its own run. A person's attachments are also shown in later runs. */
function imagesOf({ runId: own, images = [], attached = [] }: Entry, runId: string) {
  return [...(own === runId ? images : []), ...attached.filter(isShowable)];
}

/** An SVG is not an image here: it is shown as text. */
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
  // A later run can read the file with a tool, and then gets the newest version.
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
    const hidden = isIn(refused, file) ? '; its content cannot be shown to you' : '';
    const what = `${file.path}, version ${file.v}, ${bytes(file.size)}${hidden}`;
    const text = texts.get(file);
    return text ? `[Attached: ${what}. Its text:]\n${text}\n[End of ${file.path}]` : `[Attached: ${what}]`;
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
