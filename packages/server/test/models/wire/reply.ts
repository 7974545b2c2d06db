// What a test tells a provider to answer, the same for every format.

export type Said =
  | { readonly kind: 'text'; readonly pieces: readonly string[] }
  | { readonly kind: 'reasoning'; readonly pieces: readonly string[]; readonly signature?: string }
  | {
      readonly kind: 'call';
      readonly id: string;
      readonly tool: string;
      /** The input as the model writes it, JSON or not, in pieces. */
      readonly pieces: readonly string[];
      readonly signature?: string;
    };

/** Tokens as people count them: `input` and `output` are totals. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
}

export interface Reply {
  readonly said?: readonly Said[];
  readonly finish?: 'length' | 'filtered';
  readonly tokens?: Tokens;
  /** An answer without a stream. */
  readonly refusal?: {
    readonly status: number;
    readonly message: string;
    readonly type?: string;
    readonly headers?: Readonly<Record<string, string>>;
  };
  /** An answer by somebody who is no provider. */
  readonly document?: {
    readonly head: readonly [status: number, headers: Readonly<Record<string, string>>];
    readonly body?: string;
  };
  /** What happens instead of the end, after all was said. */
  readonly instead?: 'cut' | 'stall' | 'error' | 'silent end';
  /** The connection is closed before anything is answered. */
  readonly hangUp?: boolean;
  readonly delayMs?: number;
  /** Done before each frame of what is said. */
  readonly pause?: (write: (bytes: string) => void) => Promise<void>;
}

export const TOKENS: Tokens = { input: 120, output: 45 };

/** One way of speaking. */
export interface Wire {
  /** Which requests are spoken in it. */
  readonly path: RegExp;
  /** What is wrong with a request, in the provider's words; null if nothing is. */
  problemWith(request: Request, issued: ReadonlySet<string>): string | null;
  /** The frames of a stream: what was said, and how it ends. */
  frames(reply: Reply): { readonly said: readonly string[]; readonly end: readonly string[] };
  error(message: string, type: string | undefined, status: number): unknown;
  /** An error in the middle of a stream. */
  errorFrame(): string;
}

/** A parsed JSON body. */
export type Request = Readonly<Record<string, unknown>>;

export type Item = Readonly<Record<string, unknown>>;

export function itemsOf(value: unknown): readonly Item[] {
  return Array.isArray(value) ? (value as Item[]) : [];
}

export function isBlank(text: unknown): boolean {
  return typeof text !== 'string' || text.trim() === '';
}

export function isName(name: unknown): boolean {
  return typeof name === 'string' && /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(name);
}

export function frame(data: unknown, event?: string): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}
