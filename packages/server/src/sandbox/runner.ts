// What runs a command in isolation. A runner enforces every limit that it is given, or it does not start the command.

import type { Limits } from './limits.ts';

export interface Execution {
  /** For the shell. */
  readonly command: string;
  /** The working directory inside the sandbox, absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Folders of the host. */
  readonly folders: Folders;
  /** The folder with the proxy's socket; null: no network. */
  readonly proxy: string | null;
  /** The folder of the workspace that is visible, without slashes at its ends; '' for all of it. */
  readonly slice: string;
  readonly limits: Limits;
  readonly milliseconds: number;
  readonly signal: AbortSignal;
  /** Stdout and stderr, in the order in which the command wrote them. */
  readonly onOutput: (piece: Buffer) => void;
}

export interface Folders {
  readonly workspace: string;
  /** Kept between commands. */
  readonly scratch: string;
  /** Takes the writes to the workspace; `work` belongs to it. Both are empty at the start. */
  readonly upper: string;
  readonly work: string;
  readonly tmp: string;
  /** Read-only. */
  readonly outputs: string;
}

export type Limit = 'time' | 'output' | 'memory' | 'scratch' | 'canceled';

export type Ending = { readonly cpuSeconds: number } & (
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly by: Limit }
);

export interface Runner {
  readonly name: string;
  /** The owner that the folders need, besides the workspace. */
  readonly owner: { readonly uid: number; readonly gid: number } | null;
  /** Resolves when no process of the command is left. Throws `SandboxFailed` if the sandbox could not be made. */
  run(execution: Execution): Promise<Ending>;
}

/** Why no command can run here, and what to do about it, in words for people. */
export interface Unusable {
  readonly reason: string;
  readonly remedy: string;
}

export class SandboxFailed extends Error {
  readonly code = 'sandbox_failed';
}
