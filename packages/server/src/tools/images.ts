// Which files are images that models may be shown, by their names.

export const IMAGE_BYTES = 5 * 1024 * 1024;

const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

export function imageType(path: string): string | null {
  return TYPES[path.slice(path.lastIndexOf('.') + 1).toLowerCase()] ?? null;
}
