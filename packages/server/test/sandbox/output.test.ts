// Output as text that can change colours and nothing else of a terminal.

import { expect, test } from 'vitest';
import { Output, withoutColors } from '../../src/sandbox/output.ts';

const textOf = (...pieces: string[]): string => {
  const output = new Output();
  for (const piece of pieces) output.add(Buffer.from(piece));
  return output.text();
};

test.each([
  ['colours stay', '\u001b[31mred\u001b[0m', '\u001b[31mred\u001b[0m'],
  [
    'bright, 256 and true colours stay',
    '\u001b[1;92;48;5;17;38;2;1;2;3mx',
    '\u001b[1;92;48;5;17;38;2;1;2;3mx',
  ],
  ['hidden and blinking text is shown', '\u001b[8;5;31mx\u001b[6my', '\u001b[31mxy'],
  ['the terminal is not cleared or its cursor moved', 'a\u001b[2J\u001b[H\u001b[10Ab\u001b[?1049hc', 'abc'],
  [
    'titles, links and the clipboard are not set',
    '\u001b]0;t\u0007a\u001b]8;;http://x\u001b\\b\u001b]52;c;eA==\u0007c',
    'abc',
  ],
  ['a sequence without an end hides one line at most', 'a\u001b]0;hidden\nb', 'a\nb'],
  ['a device is not asked for its state', '\u001b[6n\u001b[c\u001bPq\u001b\\x', 'x'],
  ['a sequence that is not finished vanishes', 'x\u001b[31', 'x'],
  ['sequences that hide in each other vanish', '\u001b\u001b[8m[8mx\u001b\u0000[2Jy', '[8mx[2Jy'],
  ['colours out of range vanish', '\u001b[38;5;999mx\u001b[38;9mz\u001b[999m', 'xz'],
  ['control and direction characters vanish', 'a\u0000\u0008\u007f\u009b2Jb\u202e\u061cc', 'a2Jbc'],
  ['an overwritten line is what was written last', 'one\rtwo\nthree\r\nfour\r', 'two\nthree\nfour'],
])('WS-18 of the output, %s', (_, given, shown) => {
  expect(textOf(given)).toBe(shown);
  expect(withoutColors(textOf(given))).not.toContain('\u001b');
});

test('WS-18 a sequence in two pieces counts as one', () => {
  expect(textOf('a\u001b[', '2Jb\u001b', ']0;t', '\u0007c')).toBe('abc');
});

test('WS-18 the end of a running command’s output begins with a line', () => {
  const output = new Output();
  for (let line = 0; line < 100_000; line += 1) output.add(Buffer.from(`\u001b[32mline ${line}\u001b[0m\n`));
  const end = output.end(1000);
  expect(end.startsWith('\u001b[32mline 99')).toBe(true);
  expect(end.endsWith('line 99999\u001b[0m\n')).toBe(true);
  expect(end.length).toBeLessThanOrEqual(1000);
});

test('WS-18 the first and the last half mebibyte are kept, however the output arrives', () => {
  const whole = Buffer.from(Array.from({ length: 300_000 }, (_, line) => `${line}\n`).join(''));
  for (const piece of [whole.length, 1, 65_536, 700_000]) {
    const output = new Output();
    for (let at = 0; at < whole.length; at += piece) output.add(whole.subarray(at, at + piece));
    const half = 512 * 1024;
    const missing = whole.length - 2 * half;
    const kept = `${whole.subarray(0, half).toString()}\n[${missing} bytes are not kept]\n${whole.subarray(-half).toString()}`;
    expect(output.size).toBe(whole.length);
    expect(withoutColors(output.text()) === kept).toBe(true);
  }
});
