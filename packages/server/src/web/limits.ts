// Limits of the web tools. docs/web-and-calendar.md documents these numbers.

export const PAGE_BYTES = 2 * 1024 * 1024;
export const PAGE_MS = 20_000;
/** Characters of a page in one result; about 10,000 tokens. */
export const SHOWN_CHARACTERS = 40_000;

export const SEARCH_BYTES = 1024 * 1024;
export const SEARCH_MS = 15_000;
export const MOST_RESULTS = 20;
export const SNIPPET_CHARACTERS = 500;
