// Shortens untrusted text, before people or models see it.

/** Truncates a text to this many bytes, at a character boundary. */
export function cut(text: string, bytes: number): { readonly text: string; readonly left: number } {
  if (Buffer.byteLength(text) <= bytes) return { text, left: 0 };
  const whole = Buffer.from(text);
  let end = bytes;
  // A byte 10xxxxxx continues a character.
  while (end > 0 && (whole[end]! & 0xc0) === 0x80) end -= 1;
  return { text: whole.toString('utf8', 0, end), left: whole.length - end };
}

export function shortened(text: string, bytes: number): string {
  const { text: kept, left } = cut(text, bytes);
  return left === 0 ? kept : `${kept}… (${left} more bytes were cut)`;
}
