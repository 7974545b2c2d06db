// Text with escape sequences for colours, as pieces with a style. The server lets no other sequences through; any that come
// all the same are dropped. Every colour is readable: one too close to its background is replaced.

type Color = readonly [red: number, green: number, blue: number];

export interface StyledText {
  readonly text: string;
  readonly style: React.CSSProperties | undefined;
}

/** Of the terminal, which is dark in both themes. */
const BACKGROUND: Color = [0x17, 0x1a, 0x19];
const FOREGROUND: Color = [0xe4, 0xe6, 0xe2];
const READABLE = 4.5;

const PALETTE: readonly Color[] = [
  [0x3b, 0x40, 0x3e],
  [0xf2, 0x8b, 0x82],
  [0x7f, 0xd0, 0x8f],
  [0xe5, 0xc0, 0x6b],
  [0x7f, 0xb4, 0xf5],
  [0xd4, 0x9c, 0xe8],
  [0x66, 0xc9, 0xcf],
  [0xd5, 0xd8, 0xd3],
  [0x96, 0x9c, 0x98],
  [0xff, 0xa8, 0xa0],
  [0xa0, 0xe6, 0xae],
  [0xf5, 0xd9, 0x8f],
  [0xa6, 0xcc, 0xff],
  [0xe8, 0xbb, 0xf7],
  [0x90, 0xe2, 0xe6],
  [0xff, 0xff, 0xff],
];

interface Pen {
  readonly color: Color | null;
  readonly background: Color | null;
  readonly bold: boolean;
  readonly italic: boolean;
  readonly underlined: boolean;
}

const PLAIN: Pen = { color: null, background: null, bold: false, italic: false, underlined: false };

// oxlint-disable-next-line no-control-regex
const SEQUENCE = /\u001b(?:\[([\d;]*)m|\[[0-?]*[ -/]*[@-~]?|.)?/gu;

export function styledText(text: string): readonly StyledText[] {
  const pieces: StyledText[] = [];
  let pen = PLAIN;
  let from = 0;
  const add = (to: number) => {
    if (to > from) pieces.push({ text: text.slice(from, to), style: styleOf(pen) });
  };
  for (const match of text.matchAll(SEQUENCE)) {
    add(match.index);
    from = match.index + match[0].length;
    if (match[1] !== undefined) pen = changed(pen, match[1].split(';').map(Number));
  }
  add(text.length);
  return pieces;
}

/** The text without its sequences. */
export function unstyled(text: string): string {
  return text.replaceAll(SEQUENCE, '');
}

function changed(pen: Pen, codes: readonly number[]): Pen {
  let next = pen;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at]!;
    if (code === 38 || code === 48) {
      const [color, length] = longColor(codes.slice(at + 1));
      next = { ...next, [code === 38 ? 'color' : 'background']: color };
      at += length;
    } else next = { ...next, ...simple(code) };
  }
  return next;
}

function simple(code: number): Partial<Pen> {
  if (code === 0) return PLAIN;
  if (code === 1) return { bold: true };
  if (code === 3) return { italic: true };
  if (code === 4) return { underlined: true };
  if (code === 22) return { bold: false };
  if (code === 23) return { italic: false };
  if (code === 24) return { underlined: false };
  if (code === 39) return { color: null };
  if (code === 49) return { background: null };
  const bright = code >= 90 ? 8 : 0;
  const color = PALETTE[(code % 10) + bright] ?? null;
  if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) return { color };
  if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) return { background: color };
  return {};
}

/** `5;n` or `2;r;g;b`, and how many codes that is. */
function longColor([kind, ...rest]: readonly number[]): readonly [Color | null, number] {
  if (kind === 2) return [[rest[0] ?? 0, rest[1] ?? 0, rest[2] ?? 0], 4];
  return kind === 5 ? [indexed(rest[0] ?? 0), 2] : [null, 1];
}

function indexed(index: number): Color {
  if (index < 16) return PALETTE[index]!;
  if (index >= 232) return gray(8 + (index - 232) * 10);
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  const cube = index - 16;
  return [level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)];
}

const gray = (value: number): Color => [value, value, value];

function styleOf(pen: Pen): React.CSSProperties | undefined {
  if (pen === PLAIN) return undefined;
  const background = pen.background ?? BACKGROUND;
  const wanted = pen.color ?? FOREGROUND;
  const color = contrast(wanted, background) >= READABLE ? wanted : readableOn(background);
  return {
    ...((pen.color || pen.background) && { color: css(color) }),
    ...(pen.background && { backgroundColor: css(background) }),
    ...(pen.bold && { fontWeight: 600 }),
    ...(pen.italic && { fontStyle: 'italic' }),
    ...(pen.underlined && { textDecoration: 'underline' }),
  };
}

function readableOn(background: Color): Color {
  const [dark, light] = [gray(0), gray(0xe4)];
  return contrast(light, background) >= contrast(dark, background) ? light : dark;
}

const css = (color: Color) => `rgb(${color.join(' ')})`;

/** As in the Web Content Accessibility Guidelines. */
function contrast(one: Color, other: Color): number {
  const [high, low] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (high! + 0.05) / (low! + 0.05);
}

function luminance([red, green, blue]: Color): number {
  const linear = (value: number) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}
