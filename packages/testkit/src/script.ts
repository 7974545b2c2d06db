/** A script of the offline model, within a text. Brackets inside it are escaped, so that a script can hold another one. */
export function script(...steps: readonly object[]): string {
  const json = JSON.stringify({ steps });
  return `⟦${json.replaceAll('⟦', String.raw`\u27e6`).replaceAll('⟧', String.raw`\u27e7`)}⟧`;
}
