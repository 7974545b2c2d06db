// The media type of a file, by its name.

import { lookup } from 'mime-types';

export function contentType(path: string, isText: boolean): string {
  const type = lookup(path) || (isText ? 'text/plain' : 'application/octet-stream');
  if (!isText) return type;
  // A text file named .ts is TypeScript, not an MPEG video.
  return `${/^(audio|video)\//.test(type) ? 'text/plain' : type}; charset=utf-8`;
}
