// Which files are images or PDFs that models may be shown: by how they begin, since a provider refuses a whole request for one
// file that is not what it says.

/** Bytes of an image or a PDF that models are shown, at most. */
export const IMAGE_BYTES = 5 * 1024 * 1024;
/** Bytes that tell the type. */
export const IMAGE_HEAD = 12;

export function imageType(head: Buffer): string | null {
  const begins = (hex: string, at = 0) => head.toString('hex', at, at + hex.length / 2) === hex;
  if (begins('89504e470d0a1a0a')) return 'image/png';
  if (begins('ffd8ff')) return 'image/jpeg';
  if (begins('474946383761') || begins('474946383961')) return 'image/gif';
  if (begins('52494646') && begins('57454250', 8)) return 'image/webp';
  return null;
}

export const PDF = 'application/pdf';

export function isPdf(head: Buffer): boolean {
  return head.toString('latin1', 0, 5) === '%PDF-';
}
