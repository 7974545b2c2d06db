// Builds the path of a request. Ids and file paths are encoded, and those that URL normalization could lead to another
// route (such as `..`) are refused before anything is sent.

import { InputError } from './errors.ts';

/** Fills in a template such as `/api/runs/{id}/why`. `{path}` is a file's path and may contain slashes. */
export function address(template: string, names: object): string {
  return template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const given: unknown = (names as Record<string, unknown>)[name];
    return name === 'path' ? filePath(given) : segment(name, given);
  });
}

function segment(name: string, given: unknown): string {
  // Ids are never numbers.
  if (name === 'version' && Number.isSafeInteger(given)) return String(given);
  const refused = (problem: string) =>
    new InputError('invalid_id', `The ${name} ${quoted(given)} is not valid: ${problem}.`);
  if (typeof given !== 'string' || given === '') throw refused('it must be a non-empty string');
  if (!given.isWellFormed()) throw refused('it is not well-formed Unicode');
  // A proxy may decode an encoded slash.
  if (given.split(/[/\\]/).some(isDotSegment)) throw refused('it must not contain a "." or ".." segment');
  return encodeURIComponent(given);
}

/** The leading slash is optional. */
function filePath(given: unknown): string {
  const refused = (problem: string) =>
    new InputError('invalid_path', `The path ${quoted(given)} is not valid: ${problem}.`);
  if (typeof given !== 'string' || given === '' || given === '/')
    throw refused('it must name a file, such as /notes/haiku.md');
  if (!given.isWellFormed()) throw refused('it is not well-formed Unicode');
  const names = given.replace(/^\//, '').split('/');
  if (names.includes('')) throw refused('it must not contain an empty segment (a double or trailing slash)');
  if (names.some(isDotSegment)) throw refused('it must not contain a "." or ".." segment');
  return names.map(encodeURIComponent).join('/');
}

function isDotSegment(name: string): boolean {
  return name === '.' || name === '..';
}

function quoted(given: unknown): string {
  const text = JSON.stringify(given) ?? String(given);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
