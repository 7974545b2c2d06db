// Chromium takes seconds to break a long run of characters that a font moves closer together, as DejaVu Sans does with
// backslashes: 20,000 of them take 3 s to lay out, and 40 ms without kerning, which nobody misses there.

const RUN = /\S{500}/;

/** A class for what shows a text of whatever anybody, or a model, has written. */
export function kerning(text: string): string {
  return RUN.test(text) ? '[font-kerning:none]' : '';
}
