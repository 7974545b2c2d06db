// What a test asks of a process of mirror.ts.

export interface Order {
  readonly id: number;
  readonly kind: 'write' | 'remove' | 'folder' | 'arm' | 'stop' | 'role';
  readonly path?: string;
  readonly text?: string;
  /** `point#n`. */
  readonly fault?: string;
  readonly signal?: NodeJS.Signals;
}
