// Globs, as policy rules and role files use them: `*` matches any part of a name, `?` one character, `**` any number of
// folders. Every other character matches itself. Case is ignored, as in workspace paths.
//
// Agents choose both the globs and the paths, so matching must never be slow: its time is proportional to the length of
// the glob times the length of the path. (The same glob as a regular expression can take seconds: `*a*a*a*a*b` against
// a name of 127 letters.)

import { fold } from '../names/case-folding.ts';

/** Maximum length of a glob, in characters. */
const GLOB_CHARACTERS = 500;

export interface Glob {
  matches(text: string): boolean;
  /** Whether the glob matches the folder, or can match something in it. */
  reaches(folder: string): boolean;
  /** Whether the glob matches the folder and everything that can be in it. */
  covers(folder: string): boolean;
}

/** Returns what is wrong with a path glob, or null. */
export function pathGlobProblem(text: string): string | null {
  if (!text.startsWith('/'))
    return 'it must begin with a slash: write "/notes/**", or "/**/*.md" for any folder';
  const names = text.slice(1).split('/');
  if (names.slice(0, -1).includes('')) return 'it has two slashes in a row';
  if (names.at(-1) === '' && text !== '/')
    return 'it ends with a slash: write "/notes/**" for everything in /notes';
  if (names.some((name) => name === '.' || name === '..'))
    return 'it contains "." or "..", which no path contains';
  return globProblem(text);
}

/** Returns what is wrong with a glob, or null. */
export function globProblem(text: string): string | null {
  if (text === '') return 'it is empty; "*" matches everything';
  if (text.length > GLOB_CHARACTERS) return `it is longer than ${GLOB_CHARACTERS} characters`;
  const foreign = /[[\]{}\\]|^!/.exec(text);
  if (foreign)
    return `"${foreign[0]}" is not supported; only *, ** and ? are special: write one glob for each case`;
  if (text.split('/').some((name) => name.includes('**') && name !== '**'))
    return '"**" must stand alone between slashes, as in "/notes/**"';
  return null;
}

export function parseGlob(text: string): Glob {
  const pattern = namesOf(text).map((name) => (name === '**' ? null : Array.from(name)));
  const rest = (place: number) => pattern.slice(place);
  return {
    matches: (given) => placesAfter(pattern, given).has(pattern.length),
    reaches: (folder) => placesAfter(pattern, folder).size > 0,
    covers: (folder) =>
      [...placesAfter(pattern, folder)].some(
        (place) => place < pattern.length && rest(place).every((name) => name === null),
      ),
  };
}

/** The names of a glob, each as its characters; null stands for `**`. */
type Pattern = readonly (readonly string[] | null)[];

/** The positions in the pattern that can be reached after the whole path has been matched. */
function placesAfter(pattern: Pattern, path: string): ReadonlySet<number> {
  let places = skipped(pattern, [0]);
  for (const name of namesOf(path)) {
    const letters = Array.from(name);
    const next: number[] = [];
    for (const place of places) {
      const wanted = pattern[place];
      if (wanted === null) next.push(place);
      else if (wanted && isName(wanted, letters)) next.push(place + 1);
    }
    places = skipped(pattern, next);
  }
  return places;
}

/** Adds the positions after each `**`, because `**` also matches zero folders. */
function skipped(pattern: Pattern, places: readonly number[]): Set<number> {
  const all = new Set<number>();
  for (const place of places) {
    all.add(place);
    for (let at = place; pattern[at] === null; at += 1) all.add(at + 1);
  }
  return all;
}

/** Matches one name. Only the last `*` is ever extended: an earlier one never needs to match more than it did. */
function isName(wanted: readonly string[], letters: readonly string[]): boolean {
  let [at, letter, star, taken] = [0, 0, -1, 0];
  while (letter < letters.length) {
    if (wanted[at] === '*') {
      star = at;
      taken = letter;
      at += 1;
    } else if (wanted[at] === '?' || wanted[at] === letters[letter]) {
      at += 1;
      letter += 1;
    } else if (star >= 0) {
      taken += 1;
      at = star + 1;
      letter = taken;
    } else return false;
  }
  return wanted.slice(at).every((each) => each === '*');
}

function namesOf(path: string): string[] {
  const names = fold(path).split('/');
  return names.filter((name, index) => name !== '' || (index > 0 && index < names.length - 1));
}

export interface MatchInput {
  /** A path is returned if it matches any of these. */
  readonly patterns: readonly string[];
  /**
   * Separated by newlines, which a path never contains: one long string is faster to send to a worker thread than many
   * short ones.
   */
  readonly paths: string;
}

/** Returns the matching paths, separated by newlines. */
export function matchPaths({ patterns, paths }: MatchInput): string {
  const globs = patterns.map(parseGlob);
  return paths
    .split('\n')
    .filter((path) => globs.some((glob) => glob.matches(path)))
    .join('\n');
}
