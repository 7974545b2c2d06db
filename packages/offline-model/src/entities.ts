// Plain sentences about projects and what is in them: "create a project Garden party: 40 people in the garden", "add a task Rent
// chairs", "list the tasks", "mark the task Rent chairs as done", "what does the document Research/Market say". The kinds are those
// that the tools name; the project is the one that the system text names.

import { readAtoms } from './atoms.ts';
import type { Derived } from './lines.ts';
import type { Intent } from './plan.ts';
import type { ToolSchema } from './request.ts';
import type { CallOutcome } from './sentences.ts';

const LONGEST = 2000;
const A = String.raw`(?:an? |the |our |my )?(?:new )?`;
const CREATE = new RegExp(
  `^(?:please )?(?:create|add|make|start) ${A}([a-z_ ]+?) (?:called |named )?(\\S.*)$`,
  'is',
);
const LIST = /^(?:please )?(?:list|show|what are)(?: me)?(?: all)?(?: the| our| my)? ([a-z_ ]+)$/i;
const READ = /^(?:please )?(?:what does|read|open|show)(?: me)?(?: the)? document (\S.*?)(?: say)?$/i;
const SEARCH = /^(?:please )?search(?: the)? (project|workspace) for (\S.*)$/i;
const MARK = /^(?:please )?(?:mark|set|move)(?: the)? ([a-z_ ]+?) (\S.*?) (?:as|to) ([a-z_ ]+)$/i;

/** The calls that a sentence about entities asks for; null if the sentence is about something else. */
export function planEntities(
  text: string,
  tools: readonly ToolSchema[],
  system: string,
): readonly Intent[] | null {
  const said = text.trim().replace(/[.!?\s]+$/, '');
  if (said.length > LONGEST || said.includes('\n')) return null;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const project = /\bproject_id ([\da-f-]{36})/.exec(system)?.[1];
  const clause = { text, atoms: readAtoms(text), spoken: null };
  const intent = (name: string, input: Readonly<Record<string, unknown>>): Intent | null => {
    const tool = byName.get(name);
    if (!tool || (needsProject(tool) && project === undefined)) return null;
    const given = needsProject(tool) ? { project_id: project, ...input } : input;
    return { tool, clause, input: given, missing: [], weight: 2, group: 0 };
  };
  const one = (found: Intent | null): readonly Intent[] | null => found && [found];

  const created = CREATE.exec(said);
  if (created) {
    const [, given = '', rest = ''] = created;
    const kind = kindIn(`${given} ${rest}`, 'create_onto_', byName);
    const [, title = '', about] = /^(.+?)(?:: (.+))?$/.exec(kind?.rest ?? '') ?? [];
    if (kind && title !== '')
      return one(intent(`create_onto_${kind.name}`, creation(kind.name, unquoted(title), about)));
  }
  const read = READ.exec(said);
  if (read)
    return one(intent('get_onto_document_details', { project_id: project, path: unquoted(read[1]!) }));
  const listed = LIST.exec(said)?.[1]?.toLowerCase().replaceAll(' ', '_');
  if (listed !== undefined && byName.has(`list_onto_${listed}`))
    return one(intent(`list_onto_${listed}`, {}));
  const searched = SEARCH.exec(said);
  if (searched)
    return one(intent(`search_onto_${searched[1]!.toLowerCase()}`, { query: unquoted(searched[2]!) }));
  const marked = MARK.exec(said);
  const kind = marked && kindIn(`${marked[1]} ${marked[2]}`, 'update_onto_', byName);
  if (!marked || !kind) return null;
  const query = { query: unquoted(kind.rest), project_id: project };
  // A request may leave out the searches in one kind.
  const search =
    intent(`search_onto_${pluralOf(kind.name, byName)}`, query) ?? intent('search_onto_project', query);
  const details = intent(`get_onto_${kind.name}_details`, {});
  const update = intent(`update_onto_${kind.name}`, {});
  if (!search || !details || !update) return null;
  const state = marked[3]!.toLowerCase().replaceAll(' ', '_');
  const key = `${kind.name}_id`;
  return [
    search,
    { ...details, group: 1, derive: (outcomes) => idIn(outcomes, search, key, unquoted(kind.rest)) },
    { ...update, group: 2, derive: (outcomes) => changeOf(outcomes, details, key, state) },
  ];
}

function needsProject({ input }: ToolSchema): boolean {
  return Array.isArray(input.required) && input.required.includes('project_id');
}

/** The kind that the words begin with, and the words after it. */
function kindIn(
  words: string,
  prefix: string,
  tools: ReadonlyMap<string, ToolSchema>,
): { readonly name: string; readonly rest: string } | null {
  for (const tool of tools.keys()) {
    if (!tool.startsWith(prefix)) continue;
    const name = tool.slice(prefix.length);
    const spoken = name.replaceAll('_', ' ');
    if (words.toLowerCase().startsWith(`${spoken} `)) {
      const rest = words.slice(spoken.length + 1).replace(/^(?:called|named) /i, '');
      return { name, rest };
    }
  }
  return null;
}

/** The plural as the tools name it: of the names that begin like the kind, the shortest. */
function pluralOf(kind: string, tools: ReadonlyMap<string, ToolSchema>): string {
  const stem = kind.replace(/y$/, '');
  const all = [...tools.keys()]
    .filter((name) => name.startsWith(`search_onto_${stem}`))
    .map((name) => name.slice('search_onto_'.length))
    .filter((name) => name !== kind);
  return all.toSorted((one, other) => one.length - other.length)[0] ?? `${kind}s`;
}

function creation(kind: string, title: string, about: string | undefined): Record<string, unknown> {
  if (kind === 'project') return { name: title, ...(about !== undefined && { purpose: about }) };
  if (about === undefined) return { title };
  return kind === 'document' ? { title, content: about } : { title, description: about };
}

function unquoted(text: string): string {
  return text.trim().replace(/^["“'`](.*)["”'`]$/s, '$1');
}

/** The id of the entity that a search found by its title. */
function idIn(outcomes: readonly CallOutcome[], { tool }: Intent, key: string, title: string): Derived {
  const found = outcomes.findLast((outcome) => outcome.tool === tool.name)?.output;
  const items = ((found as { items?: unknown })?.items ?? []) as { entity_id?: string; title?: string }[];
  const wanted = title.toLowerCase();
  const item = items.find((each) => each.title?.toLowerCase() === wanted) ?? items[0];
  if (item?.entity_id === undefined) return { ok: false, problem: `I found nothing called ${title}.` };
  return { ok: true, input: { [key]: item.entity_id }, stock: false };
}

function changeOf(outcomes: readonly CallOutcome[], { tool }: Intent, key: string, state: string): Derived {
  const read = outcomes.findLast((outcome) => outcome.tool === tool.name)?.output as
    | { id?: string; version?: number }
    | undefined;
  if (read?.id === undefined) return { ok: false, problem: 'I could not read it.' };
  return { ok: true, input: { [key]: read.id, expected_version: read.version, state }, stock: false };
}
