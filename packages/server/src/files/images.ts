// Detects images and PDFs that models can be shown. The type is read from the first bytes, because a provider refuses a
// whole request over one file that is not of its stated type.

/** Maximum size of an image or PDF that models are shown. */
export const IMAGE_BYTES = 5 * 1024 * 1024;
/** How many of the first bytes `imageType` needs. */
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
