// What a command may use. The documentation names these numbers (docs/sandbox.md).

const KiB = 1024;
const MiB = 1024 * KiB;

export interface Limits {
  readonly memoryBytes: number;
  readonly processes: number;
  /** CPU time of one process. */
  readonly cpuSeconds: number;
  readonly openFiles: number;
  readonly fileBytes: number;
  /** What one command may write to the workspace's overlay and to /tmp. */
  readonly layerBytes: number;
  /** What a chat's scratch volume may hold. */
  readonly scratchBytes: number;
  /** Files and folders, of either. */
  readonly entries: number;
  /** After this much output the command is killed. */
  readonly outputBytes: number;
}

export const LIMITS: Limits = {
  memoryBytes: 2048 * MiB,
  processes: 256,
  cpuSeconds: 1200,
  openFiles: 4096,
  fileBytes: 512 * MiB,
  layerBytes: 1024 * MiB,
  scratchBytes: 2048 * MiB,
  entries: 200_000,
  outputBytes: 16 * MiB,
};

export const DEFAULT_SECONDS = 120;
export const MOST_SECONDS = 600;
export const COMMAND_CHARACTERS = 32 * KiB;

/** Bytes of output: shown to a model from the beginning and from the end, and kept for retrieval. */
export const SHOWN_HEAD = 8 * KiB;
export const SHOWN_TAIL = 8 * KiB;
export const KEPT_OUTPUT = MiB;

/** Maximum of a proposal: files, bytes of one file, and bytes of all files. */
export const PROPOSED_FILES = 1000;
export const PROPOSED_FILE_BYTES = 8 * MiB;
export const PROPOSED_BYTES = 32 * MiB;
