// read: a file's text with line numbers, or an image for models that see.

import { z } from 'zod';
import { readChunks } from '../workspace/content.ts';
import type { FileHead } from '../workspace/files.ts';
import { readVersion, type FileVersion } from '../workspace/versions.ts';
import { isReadOnly } from '../workspace/paths.ts';
import { existing, fileAt, shown, type ToolWorld } from './files.ts';
import { imageType, IMAGE_BYTES, IMAGE_HEAD } from './images.ts';
import { bytes, counted } from './say.ts';
import { ToolFailure, type CallContext, type Tool } from './tool.ts';

/** Lines and bytes of one result at most; characters of one line. */
const LINES = 2000;
const BYTES = 256 * 1024;
const LINE_CHARACTERS = 10_000;

const input = z.strictObject({
  path: z.string().describe('Path of the file'),
  from_line: z.int().min(1).default(1).describe('The first line to show'),
  max_lines: z.int().min(1).max(LINES).default(LINES).describe('How many lines to show at most'),
  version: z.int().min(1).optional().describe('An earlier version; the newest if absent'),
});
type Input = z.infer<typeof input>;

export function readTool(world: ToolWorld): Tool<Input> {
  const { pool, chats } = world;
  return {
    name: 'read',
    description:
      'Reads a file of the workspace: text with line numbers, or an image. Long files are read in parts with from_line.',
    effect: 'pure',
    input,
    words: ({ path, from_line, version }) =>
      `Reads ${shown(path)}${version === undefined ? '' : `, version ${version}`}${from_line > 1 ? ` from line ${from_line}` : ''}`,
    paths: ({ path }) => [path],
    async run(asked, context) {
      const path = fileAt(asked.path);
      const chat = isReadOnly(path) ? await chats.read(context.workspaceId, path) : null;
      if (chat) {
        context.used(chat.threadId);
        const { threadId: id, version: newest } = chat;
        return linesOf({ path: chat.path, id, version: newest, newest }, [Buffer.from(chat.text)], asked);
      }
      const file = await existing(world, context.workspaceId, path);
      const version = await readVersion(pool, file.id, asked.version ?? file.version);
      if (!version)
        throw new ToolFailure(
          `${file.path} has no version ${asked.version}; it has versions 1 to ${file.version}`,
        );
      context.used(file.id);
      if (!version.isText) return notText(pool, file, version, context);
      const about = { path: file.path, id: file.id, version: version.version, newest: file.version };
      const result = await linesOf(about, readChunks(pool, version.chunks), asked);
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
) {
  const lines: string[] = [];
  let size = 0;
  let total = 0;
  let isFull = false;
  for await (const line of linesIn(content)) {
    total += 1;
    if (total < from || isFull || lines.length === most) continue;
    const shownLine = line.length > LINE_CHARACTERS ? `${line.slice(0, LINE_CHARACTERS)}… [cut]` : line;
    const numbered = `${String(total).padStart(6)}\t${shownLine}`;
    size += Buffer.byteLength(numbered) + 1;
    isFull = size > BYTES;
    if (!isFull) lines.push(numbered);
  }
  if (from > Math.max(total, 1))
    throw new ToolFailure(`${path} has ${counted(total, 'line')}; from_line ${from} is after its end`);
  const old = version === newest ? '' : ` (the newest is ${newest})`;
  const head = `${path}, version ${version}${old}, ${counted(total, 'line')}`;
  const last = from + lines.length - 1;
  const rest =
    last < total ? [`[lines ${from} to ${last} of ${total}; go on with from_line: ${last + 1}]`] : [];
  return {
    path,
    file: id,
    version,
    lines: total,
    text: [head, ...lines, ...rest].join('\n'),
  };
}

/** Lines without their ends; a text that ends with a newline has no empty line after it. */
async function* linesIn(chunks: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  const text = (line: Buffer) => line.toString().replace(/\r$/, '');
  for await (const chunk of chunks) {
    const bytesHere = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytesHere.indexOf(10); end >= 0; end = bytesHere.indexOf(10, start)) {
      yield text(bytesHere.subarray(start, end));
      start = end + 1;
    }
    rest = bytesHere.subarray(start);
  }
  if (rest.length > 0) yield text(rest);
}
