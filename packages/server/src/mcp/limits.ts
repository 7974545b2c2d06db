// How much of an MCP server is borne. docs/mcp.md tells these numbers to people.

const KIB = 1024;
const MIB = 1024 * KIB;

/** Servers of one workspace. */
export const MOST_SERVERS = 32;

/** From the spawn, or the first request, to the list of tools. */
export const START_MS = 20_000;
/** The first pause before another try; each failure doubles it. */
export const RETRY_FIRST_MS = 1000;
export const RETRY_MOST_MS = 300_000;
/** A server that was up so long is believed to be well: the pauses begin anew. */
export const STABLE_MS = 60_000;
/** Between two listings that the server asked for. */
export const RELIST_MS = 2000;
/** How often a pod looks for changes that were made on another one. */
export const REREAD_MS = 1000;
/** After its input was closed, and again after SIGTERM. */
export const STOP_MS = 1000;

export const MOST_TOOLS = 128;
export const MOST_PAGES = 64;
export const TOOL_NAME_LENGTH = 64;
export const DESCRIPTION_BYTES = 4 * KIB;
export const SCHEMA_BYTES = 32 * KIB;
/** Of all that a model is shown of one server. */
export const SHOWN_BYTES = 256 * KIB;

/** Of one call's result, text and structured content together. */
export const OUTPUT_BYTES = 256 * KIB;
/** Of an error's text, a reason or a note. */
export const REASON_BYTES = 2 * KIB;

/** Questions that one call may ask a person. */
export const MOST_QUESTIONS = 16;

export const MESSAGE_BYTES = 8 * MIB;
/** What a server may send within the window, stderr included. */
export const FLOOD_WINDOW_MS = 10_000;
export const FLOOD_MESSAGES = 10_000;
export const FLOOD_BYTES = 64 * MIB;
/** What waits for a server that does not read. */
export const UNREAD_BYTES = 8 * MIB;
/** The end of stderr that is kept. */
export const STDERR_BYTES = 4 * KIB;
