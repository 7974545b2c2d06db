// Zips as programs make them, and as no honest program does.

import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { fromBufferPromise } from 'yauzl';
import { ZipFile } from 'yazl';

export async function zipOf(files: Record<string, string | Buffer>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content as string), name);
  zip.end();
  return buffer(zip.outputStream);
}

export async function unzip(zip: Buffer): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const opened = await fromBufferPromise(zip, { lazyEntries: true });
  for await (const entry of opened.eachEntry())
    files[entry.fileName] = (await buffer(await opened.openReadStreamPromise(entry))).toString('latin1');
  return files;
}

export interface Made {
  readonly name: string | Buffer;
  readonly data: Buffer;
  readonly size?: number;
  readonly sum?: number;
  readonly method?: number;
  readonly flags?: number;
  readonly attributes?: number;
  /** Where its data is, if it shares that of another. */
  readonly offset?: number;
}

/** A zip as no honest program makes it: each field is what the test says. */
export function forged(entries: readonly Made[], claimed = entries.length): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const {
    name,
    data,
    size = data.length,
    sum = crc32(data),
    method = 0,
    flags = 0x800,
    attributes = 0,
    offset,
  } of entries) {
    const title = Buffer.from(name as string);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(20, 4);
    local.writeUInt16LE(flags, 6);
    local.writeUInt16LE(method, 8);
    local.writeUInt32LE(sum, 14);
    local.writeUInt32LE(data.length, 18);
    local.writeUInt32LE(size, 22);
    local.writeUInt16LE(title.length, 26);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(0x031e, 4);
    central.writeUInt16LE(20, 6);
    central.writeUInt16LE(flags, 8);
    central.writeUInt16LE(method, 10);
    central.writeUInt32LE(sum, 16);
    central.writeUInt32LE(data.length, 20);
    central.writeUInt32LE(size, 24);
    central.writeUInt16LE(title.length, 28);
    central.writeUInt32LE(attributes, 38);
    central.writeUInt32LE(offset ?? at, 42);
    directory.push(central, title);
    if (offset !== undefined) continue;
    parts.push(local, title, data);
    at += 30 + title.length + data.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(claimed, 8);
  end.writeUInt16LE(claimed, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, listed, end]);
}
