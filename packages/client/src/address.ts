// Where a request goes. What a caller names stays a name: URLs are normalized on their way, and one that holds `..` would
// arrive at another route. Such names are refused before anything is sent.

import { InputError } from './errors.ts';

/** `/api/runs/{id}/why` with its names in place; `{path}` is a file's, and spans slashes. */
export function address(template: string, names: object): string {
  return template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const given: unknown = (names as Record<string, unknown>)[name];
    return name === 'path' ? filePath(given) : segment(name, given);
  });
}

function segment(name: string, given: unknown): string {
  const refused = (problem: string) =>
    new InputError('invalid_id', `${shown(given)} cannot be the ${name} of anything: ${problem}.`);
  if (typeof given !== 'string' || given === '') throw refused('it must be a text that is not empty');
  if (!given.isWellFormed()) throw refused('it is no Unicode text');
  // Somebody on the way may take an encoded slash for a slash.
  if (given.split(/[/\\]/).some(isDots)) throw refused('it must not lead elsewhere, as "." and ".." do');
  return encodeURIComponent(given);
}

/** With or without its first slash. */
function filePath(given: unknown): string {
  const refused = (problem: string) =>
    new InputError('invalid_path', `The path ${shown(given)} is refused: ${problem}.`);
  if (typeof given !== 'string' || given === '' || given === '/')
    throw refused('a path names a file, such as /notes/haiku.md');
  if (!given.isWellFormed()) throw refused('it is no Unicode text');
  const names = given.replace(/^\//, '').split('/');
  if (names.includes('')) throw refused('it has no empty name: no double slash, and none at its end');
  if (names.some(isDots)) throw refused('it has no "." and no "..": write where it leads');
  return names.map(encodeURIComponent).join('/');
}

function isDots(name: string): boolean {
  return name === '.' || name === '..';
}

function shown(given: unknown): string {
  const text = JSON.stringify(given) ?? String(given);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
