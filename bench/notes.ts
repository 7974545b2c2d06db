// Why a line is missed and what was tried, by the row's key. Written by hand; shown for missed rows only.

export const notes: Readonly<Record<string, string>> = {};
