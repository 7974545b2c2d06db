// How names are compared: without regard to case, on every file system.

/** By way of the upper case, since some letters have more than one lower case. */
export function fold(text: string): string {
  // The same for ASCII, and many times as fast.
  if (!/[^ -~]/.test(text)) return text.toLowerCase();
  return text.normalize('NFC').toLowerCase().toUpperCase().toLowerCase().normalize('NFC');
}
