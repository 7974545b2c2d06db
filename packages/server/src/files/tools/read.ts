// read: shows a file's text with line numbers, or an image to models with vision.

import { z } from 'zod';
import { readChunks } from '../content.ts';
import type { FileHead } from '../files.ts';
import { readVersion, type FileVersion } from '../versions.ts';
import { isReadOnly } from '../paths.ts';
import { requireFile, fileAt, displayPath, type ToolWorld } from './shared.ts';
import { imageType, IMAGE_BYTES, IMAGE_HEAD } from '../images.ts';
import { bytes, counted } from './format.ts';
import { ToolFailure, type CallContext, type Tool } from '../../tools/tool.ts';

/** Maximum number of lines and bytes in one result, and of characters in one line. */
const LINES = 2000;
const BYTES = 256 * 1024;
const LINE_CHARACTERS = 10_000;

const input = z.strictObject({
  path: z.string().describe('Path of the file'),
  from_line: z.int().min(1).default(1).describe('The first line to show'),
  max_lines: z.int().min(1).max(LINES).default(LINES).describe('The most lines to show'),
  version: z.int().min(1).optional().describe('An earlier version; default: the newest'),
});
type Input = z.infer<typeof input>;

export function readTool(world: ToolWorld): Tool<Input> {
  const { pool, chats } = world;
  return {
    name: 'read',
    description:
      'Reads a file of the workspace: text with line numbers, or an image. Read long files in parts, with from_line.',
    effect: 'pure',
    input,
    words: ({ path, from_line, version }) =>
      `Reads ${displayPath(path)}${version === undefined ? '' : `, version ${version}`}${from_line > 1 ? ` from line ${from_line}` : ''}`,
    paths: ({ path }) => [path],
    // A chat repeats what its model has read.
    untrusted: (output) => output['untrusted'] === true,
    async run(asked, context) {
      const path = fileAt(asked.path);
      const chat = isReadOnly(path) ? await chats.read(context.workspaceId, path) : null;
      if (chat) {
        context.used(chat.threadId);
        const { threadId: id, version: newest } = chat;
        const about = { path: chat.path, id, version: newest, newest };
        const lines = await linesOf(about, [Buffer.from(chat.text)], asked, context);
        return { ...lines, ...(chat.untrusted && { untrusted: true }) };
      }
      const file = await requireFile(world, context.workspaceId, path);
      const version = await readVersion(pool, file.id, asked.version ?? file.version);
      if (!version)
        throw new ToolFailure(
          `${file.path} has no version ${asked.version}; it has versions 1 to ${file.version}`,
        );
      context.used(file.id);
      if (!version.isText) return notText(pool, file, version, context);
      const about = { path: file.path, id: file.id, version: version.version, newest: file.version };
      const result = await linesOf(about, readChunks(pool, version.chunks), asked, context);
      if (version.version === file.version) context.learned(file.id, file.version);
      return result;
    },
  };
}

async function notText(pool: ToolWorld['pool'], file: FileHead, version: FileVersion, context: CallContext) {
  const about = { path: file.path, file: file.id, version: version.version };
  const head: Buffer[] = [];
  for await (const bytesHere of readChunks(pool, version.chunks, 0, IMAGE_HEAD)) head.push(bytesHere);
  const mediaType = imageType(Buffer.concat(head));
  if (mediaType === null || version.size > IMAGE_BYTES) {
    const why = mediaType === null ? 'is not text' : `is an image of more than ${bytes(IMAGE_BYTES)}`;
    return { ...about, text: `${file.path} ${why} (${bytes(version.size)}); it cannot be shown here` };
  }
  context.show({ file: file.id, v: version.version, media_type: mediaType });
  return {
    ...about,
    text: `${file.path}, version ${version.version}: an image (${mediaType}, ${bytes(version.size)})`,
  };
}

async function linesOf(
  { path, id, version, newest }: { path: string; id: string; version: number; newest: number },
  content: AsyncIterable<Buffer> | Iterable<Buffer>,
  { from_line: from, max_lines: most }: Input,
  { signal }: CallContext,
) {
  const reader = new LineReader(from, most);
  for await (const chunk of content) {
    signal.throwIfAborted();
    reader.take(chunk);
  }
  const { lines, total } = reader.end();
  if (from > Math.max(total, 1))
    throw new ToolFailure(`${path} has ${counted(total, 'line')}; from_line ${from} is past the end`);
  const old = version === newest ? '' : ` (the newest is ${newest})`;
  const head = `${path}, version ${version}${old}, ${counted(total, 'line')}`;
  const last = from + lines.length - 1;
  const rest =
    last < total ? [`[lines ${from} to ${last} of ${total}; continue with from_line: ${last + 1}]`] : [];
  return {
    path,
    file: id,
    version,
    lines: total,
    text: [head, ...lines, ...rest].join('\n'),
  };
}

/**
 * Counts the lines of a text that arrives in chunks, and keeps those to show. After a final newline there is no
 * further, empty line. For lines that are not shown, only their ends are searched.
 */
class LineReader {
  readonly #from: number;
  readonly #most: number;
  readonly #lines: string[] = [];
  #total = 0;
  #size = 0;
  #isFull = false;
  /** The beginning of a line whose end has not arrived yet. */
  #open: Buffer[] = [];
  #isOpen = false;
  #kept = 0;

  constructor(from: number, most: number) {
    this.#from = from;
    this.#most = most;
  }

  take(chunk: Buffer): void {
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      if (chunk[at] !== 10) continue;
      this.#add(chunk, start, at);
      this.#endLine();
      start = at + 1;
    }
    if (start < chunk.length) this.#add(chunk, start, chunk.length);
  }

  end(): { readonly lines: readonly string[]; readonly total: number } {
    if (this.#isOpen) this.#endLine();
    return { lines: this.#lines, total: this.#total };
  }

  get #isShown(): boolean {
    return this.#total + 1 >= this.#from && !this.#isFull && this.#lines.length < this.#most;
  }

  #add(chunk: Buffer, start: number, end: number): void {
    this.#isOpen = true;
    // Keeps only as much of a long line as can be shown: a character has at most 4 bytes.
    const room = 4 * (LINE_CHARACTERS + 1) - this.#kept;
    if (room <= 0 || !this.#isShown) return;
    const part = chunk.subarray(start, Math.min(end, start + room));
    this.#open.push(part);
    this.#kept += part.length;
  }

  #endLine(): void {
    if (this.#isShown) this.#show(Buffer.concat(this.#open).toString().replace(/\r$/, ''));
    this.#total += 1;
    this.#open = [];
    this.#isOpen = false;
    this.#kept = 0;
  }

  #show(line: string): void {
    const cut = line.length > LINE_CHARACTERS ? `${line.slice(0, LINE_CHARACTERS)}… [cut]` : line;
    const numbered = `${String(this.#total + 1).padStart(6)}\t${cut}`;
    this.#size += Buffer.byteLength(numbered) + 1;
    this.#isFull = this.#size > BYTES;
    if (!this.#isFull) this.#lines.push(numbered);
  }
}
