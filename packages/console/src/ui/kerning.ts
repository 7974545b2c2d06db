// Chromium takes seconds to break a long run of characters that the font kerns, such as backslashes in DejaVu Sans:
// 20,000 of them take 3 s to lay out, and 40 ms without kerning.

const RUN = /\S{500}/;

/** A class for elements that show text of people or models. */
export function kerning(text: string): string {
  return RUN.test(text) ? '[font-kerning:none]' : '';
}
