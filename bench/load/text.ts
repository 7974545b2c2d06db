// What the fake model says: tokens of one length, each of which tells its place.

export function tokenText(index: number): string {
  return `t${String(index).padStart(4, '0')} `;
}

export function wholeText(tokens: number): string {
  return Array.from({ length: tokens }, (_, index) => tokenText(index)).join('');
}
