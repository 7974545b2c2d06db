// Limits for MCP servers. docs/mcp.md documents these numbers.

const KIB = 1024;
const MIB = 1024 * KIB;

/** The most servers of one workspace. */
export const MOST_SERVERS = 32;

/** From the spawn, or the first request, to the list of tools. */
export const START_MS = 20_000;
/** The pause before the first retry; each failure doubles it. */
export const RETRY_FIRST_MS = 1000;
export const RETRY_MOST_MS = 300_000;
/** After this long without a failure, the back-off starts over. */
export const STABLE_MS = 60_000;
/** The least time between two listings that the server triggers. */
export const RELIST_MS = 2000;
/** How often a pod checks for changes that another pod made. */
export const REREAD_MS = 1000;
/** How long to wait after closing stdin, and again after SIGTERM. */
export const STOP_MS = 1000;

export const MOST_TOOLS = 128;
export const MOST_PAGES = 64;
export const TOOL_NAME_LENGTH = 64;
export const DESCRIPTION_BYTES = 4 * KIB;
export const SCHEMA_BYTES = 32 * KIB;
/** The most bytes that a model sees of one server's tools. */
export const SHOWN_BYTES = 256 * KIB;

/** The most bytes of one call's result, text and structured content together. */
export const OUTPUT_BYTES = 256 * KIB;
/** The most bytes of an error text, a reason or a note. */
export const REASON_BYTES = 2 * KIB;

/** The most questions that one call may ask a person. */
export const MOST_QUESTIONS = 16;

export const MESSAGE_BYTES = 8 * MIB;
/** What a server may send within this window, stderr included. */
export const FLOOD_WINDOW_MS = 10_000;
export const FLOOD_MESSAGES = 10_000;
export const FLOOD_BYTES = 64 * MIB;
/** The most bytes buffered for a server that does not read. */
export const UNREAD_BYTES = 8 * MIB;
/** How much of the end of stderr is kept. */
export const STDERR_BYTES = 4 * KIB;
