// Sentences about projects and what is in them. The kinds are those that the tools name; the project is the one that the system
// text names.

import { call, form, type Call, type CallStep, type Form, type Said, type Situation } from './forms.ts';

const CREATE = /^(?:create|add|make|start) (?:an? |the |our |my )?(?:new )?(?<words>[a-z].*)$/is;
const DOCUMENT = /^(?:what does|read|open|show)(?: me)?(?: the)? document (?<path>\S.*?)(?: say)?$/is;
const LIST = /^(?:list|show|what are)(?: me)?(?: all)?(?: the| our| my)? (?<kinds>[a-z_ ]+)$/i;
const SEARCH = /^search(?: the)? project for (?<query>\S.*)$/is;
const MARK = /^(?:mark|set|move)(?: the)? (?<words>[a-z].*) (?:as|to) (?<state>[a-z_ ]+)$/is;

export const ENTITY_FORMS: readonly Form[] = [
  form('Add a task Rent chairs: 40 of them', CREATE, createEntity),
  form('What does the document Research/Market say?', DOCUMENT, (said, situation) =>
    inProject('get_onto_document_details', said, situation),
  ),
  form('List the tasks', LIST, ({ kinds = '' }, situation) =>
    inProject(`list_onto_${wordOf(kinds)}`, {}, situation),
  ),
  form('Search the project for chairs', SEARCH, (said, situation) =>
    inProject('search_onto_project', said, situation),
  ),
  form('Mark the task Rent chairs as done', MARK, markEntity),
];

const wordOf = (text: string): string => text.trim().toLowerCase().replaceAll(' ', '_');
const unquoted = (text: string): string => text.trim().replace(/^["“'`](.*)["”'`]$/s, '$1');

/** One call, in the project unless it is about projects themselves. */
function inProject(tool: string, input: Call['input'], { tools, project }: Situation) {
  const needsProject = !/(?:create_onto_project|list_onto_projects)$/.test(tool);
  if (!tools.has(tool) || (needsProject && project === undefined)) return null;
  return [call(tool, needsProject ? { project_id: project, ...input } : input)];
}

/** The kind that the words begin with, and the words after it. */
function kindIn(words: string, prefix: string, { tools }: Situation) {
  const names = [...tools].filter((tool) => tool.startsWith(prefix)).map((tool) => tool.slice(prefix.length));
  const name = names.find((each) => words.toLowerCase().startsWith(`${each.replaceAll('_', ' ')} `));
  if (name === undefined) return null;
  return { name, rest: words.slice(name.length + 1).replace(/^(?:called|named) /i, '') };
}

const FIELDS: Readonly<Record<string, string>> = { project: 'purpose', document: 'content' };

function createEntity({ words = '' }: Said, situation: Situation): readonly CallStep[] | null {
  const kind = kindIn(words, 'create_onto_', situation);
  const [, title = '', text] = /^(.+?)(?:: (.+))?$/s.exec(kind?.rest ?? '') ?? [];
  if (!kind || title === '') return null;
  const named = { [kind.name === 'project' ? 'name' : 'title']: unquoted(title) };
  const input = text === undefined ? named : { ...named, [FIELDS[kind.name] ?? 'description']: text };
  return inProject(`create_onto_${kind.name}`, input, situation);
}

/** An entity is looked up by its title and read before its state is changed. */
function markEntity({ words = '', state = '' }: Said, situation: Situation): readonly CallStep[] | null {
  const { tools, project } = situation;
  const kind = kindIn(words, 'update_onto_', situation);
  if (!kind || project === undefined) return null;
  const title = unquoted(kind.rest);
  const plural = `search_onto_${kind.name.replace(/y$/, 'ie')}s`;
  const key = `${kind.name}_id`;
  return [
    call(tools.has(plural) ? plural : 'search_onto_project', { query: title, project_id: project }),
    (outcomes) => {
      const { items = [] } = (outcomes.at(-1)?.output ?? {}) as {
        items?: { entity_id: string; title?: string }[];
      };
      const item = items.find((each) => each.title?.toLowerCase() === title.toLowerCase()) ?? items[0];
      if (!item) return `I found nothing called ${title}.`;
      return [{ tool: `get_onto_${kind.name}_details`, input: { [key]: item.entity_id } }];
    },
    (outcomes) => {
      const { id, version } = (outcomes.at(-1)?.output ?? {}) as { id?: string; version?: number };
      if (id === undefined) return 'I could not read it.';
      const input = { [key]: id, expected_version: version, state: wordOf(state) };
      return [{ tool: `update_onto_${kind.name}`, input }];
    },
  ];
}
