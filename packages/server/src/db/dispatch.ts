// How a concept adds to a function of another concept. A function in sql/functions/ may leave a place open, as a comment with a
// pattern of names. When the files are read, the place is filled from the functions of all folders with such a name, in
// alphabetical order. So one statement does everything, and the function that dispatches knows none of the others. The names of
// functions that fill a place begin with on_, and no others do.
//
//   /* each on_purge_thread_*: perform {function}(p_thread); */
//       The text behind the colon, once for each function. {function} is its name, {name} what * stands for, and
//       {arguments of v} its arguments: the field `x` of the record v for the parameter p_x.
//   /* fields of on_append_* except kind, event */
//       The parameters of all these functions as columns, each once: `, x integer, y text`. This is what the record v reads.
//
// A field of type json is read as text and cast in the call: Postgres' functions for JSON refuse NUL and lone surrogates inside
// a value, a cast does not.

export interface SqlFunction {
  /** The file, below sql/functions/. */
  readonly path: string;
  readonly name: string;
  readonly text: string;
}

interface Parameter {
  readonly field: string;
  readonly type: string;
}

const EACH = /\/\* each (on_\w+_)\*: ([^]+?) \*\//g;
const FIELDS = /\/\* fields of (on_\w+_)\* except ([\w, ]+) \*\//g;
const LEFT_OPEN = /\/\* (?:each|fields of) \w+\*.*/;

/** Refuses functions whose name begins with on_, but that fill no place: nothing would ever call them. */
export function refuseUncalled(functions: readonly SqlFunction[]): void {
  const prefixes = functions.flatMap(({ text }) => [...text.matchAll(EACH)].map(([, prefix]) => prefix!));
  for (const { path, name } of functions) {
    if (!name.startsWith('on_') || prefixes.some((prefix) => name.startsWith(prefix))) continue;
    throw new Error(
      `sql/functions/${path}: no function calls ${name}; names that begin with on_ are for ${prefixes
        .map((prefix) => `${prefix}*`)
        .toSorted()
        .join(', ')}`,
    );
  }
}

/** The text of a function with its open places filled. */
export function fillDispatcher(template: string, functions: readonly SqlFunction[]): string {
  const matching = (prefix: string) =>
    functions.filter(({ name }) => name.startsWith(prefix)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const text = template
    .replaceAll(FIELDS, (_, prefix: string, except: string) =>
      columns(matching(prefix), new Set(except.split(/,\s*/))),
    )
    .replaceAll(EACH, (_, prefix: string, line: string) =>
      matching(prefix)
        .map((each) => fillLine(line, prefix, each))
        .join('\n    '),
    );
  const open = LEFT_OPEN.exec(text)?.[0];
  if (open !== undefined)
    throw new Error(`"${open}" is not understood; src/db/dispatch.ts says what may be written there`);
  return text;
}

function fillLine(line: string, prefix: string, called: SqlFunction): string {
  return line
    .replaceAll('{function}', called.name)
    .replaceAll('{name}', called.name.slice(prefix.length))
    .replaceAll(/\{arguments of (\w+)\}/g, (_, record: string) =>
      parametersOf(called)
        .map(({ field, type }) => `${record}.${field}${type === 'json' ? '::json' : ''}`)
        .join(', '),
    );
}

function columns(functions: readonly SqlFunction[], except: ReadonlySet<string>): string {
  const types = new Map<string, { type: string; path: string }>();
  for (const called of functions)
    for (const { field, type } of parametersOf(called)) {
      if (except.has(field)) continue;
      const earlier = types.get(field);
      if (earlier && earlier.type !== type) {
        throw new Error(
          `sql/functions/${called.path}: p_${field} is ${type}, but ${earlier.type} in ${earlier.path}; ` +
            'functions that one statement calls share their fields, so give one of the two another name',
        );
      }
      types.set(field, { type, path: called.path });
    }
  return [...types].map(([field, { type }]) => `, ${field} ${type === 'json' ? 'text' : type}`).join('');
}

function parametersOf({ path, name, text }: SqlFunction): readonly Parameter[] {
  const list = new RegExp(String.raw`^create or replace function ${name}\(([^)]*)\)\s+returns`, 'm').exec(
    text,
  );
  return (list?.[1] ?? '').split(',').map((parameter) => {
    const [, field, type] = /^p_(\w+) (\w[\w ]*(?:\[\])?)$/.exec(parameter.trim()) ?? [];
    if (field === undefined || type === undefined) {
      throw new Error(
        `sql/functions/${path}: another function calls ${name} with the fields that its parameters name; ` +
          `write each as "p_<field> <type>", not as "${parameter.trim()}"`,
      );
    }
    return { field, type };
  });
}
