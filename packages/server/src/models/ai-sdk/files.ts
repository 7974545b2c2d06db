// Converts the files of a user message into parts that the provider accepts. A file that the provider cannot read becomes a note,
// so that one attachment cannot make a thread unusable.

import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from '@ai-sdk/provider';
import type { HistoryFile } from '../model.ts';

export interface AiSdkFileRules {
  /** Media types that the provider accepts as bytes. */
  readonly bytes: RegExp;
  /** URLs that the provider fetches by itself, by media type. */
  readonly urls: Readonly<Record<string, readonly RegExp[]>>;
}

export function aiSdkFilePart(
  { mediaType, data }: HistoryFile,
  rules: AiSdkFileRules,
): LanguageModelV4FilePart | LanguageModelV4TextPart {
  const bytes = typeof data === 'string' ? bytesOf(data) : data;
  if (bytes && mediaType.startsWith('text/'))
    return { type: 'text', text: new TextDecoder().decode(bytes) || '[An empty file.]' };
  if (bytes && rules.bytes.test(mediaType))
    return { type: 'file', mediaType, data: { type: 'data', data: bytes } };
  if (typeof data === 'string' && !bytes && isFetched(mediaType, data, rules))
    return { type: 'file', mediaType, data: { type: 'url', url: new URL(data) } };
  const where = typeof data === 'string' && !bytes ? ` at ${data.slice(0, 500)}` : '';
  return { type: 'text', text: `[A file of type ${mediaType}${where}, which this model cannot read.]` };
}

/** The bytes of a `data:` URL; null for any other. */
function bytesOf(url: string): Uint8Array | null {
  const found = /^data:[^,]*?(;base64)?,/i.exec(url);
  if (!found) return null;
  const body = url.slice(found[0].length);
  return found[1] ? Buffer.from(body, 'base64') : Buffer.from(decodeURIComponent(body));
}

function isFetched(mediaType: string, url: string, { urls }: AiSdkFileRules): boolean {
  if (!URL.canParse(url)) return false;
  return Object.entries(urls).some(
    ([type, patterns]) =>
      (type === '*' || type === '*/*' || type === mediaType || `${mediaType.split('/')[0]}/*` === type) &&
      patterns.some((pattern) => pattern.test(url)),
  );
}
