// Sentences about projects and what is in them. The kinds are those that the tools name; the project is the one that the system
// text names.

import { call, type Call, type CallStep, type Form, type Said, type Situation } from './forms.ts';

export const ENTITY_FORMS: readonly Form[] = [
  {
    example: 'Add a task Rent chairs: 40 of them',
    pattern: /^(?:create|add|make|start) (?:an? |the |our |my )?(?:new )?(?<words>[a-z].*)$/is,
    steps: ({ words = '' }, situation) => {
      const kind = kindIn(words, 'create_onto_', situation);
      const [, title = '', text] = /^(.+?)(?:: (.+))?$/s.exec(kind?.rest ?? '') ?? [];
      if (!kind || title === '') return null;
      return inProject(`create_onto_${kind.name}`, creation(kind.name, title, text), situation);
    },
  },
  {
    example: 'What does the document Research/Market say?',
    pattern: /^(?:what does|read|open|show)(?: me)?(?: the)? document (?<path>\S.*?)(?: say)?$/is,
    steps: ({ path }, situation) => inProject('get_onto_document_details', { path }, situation),
  },
  {
    example: 'List the tasks',
    pattern: /^(?:list|show|what are)(?: me)?(?: all)?(?: the| our| my)? (?<kinds>[a-z_ ]+)$/i,
    steps: ({ kinds = '' }, situation) => inProject(`list_onto_${wordOf(kinds)}`, {}, situation),
  },
  {
    example: 'Search the project for chairs',
    pattern: /^search(?: the)? project for (?<query>\S.*)$/is,
    steps: ({ query }, situation) => inProject('search_onto_project', { query }, situation),
  },
  {
    example: 'Mark the task Rent chairs as done',
    pattern: /^(?:mark|set|move)(?: the)? (?<words>[a-z].*) (?:as|to) (?<state>[a-z_ ]+)$/is,
    steps: markEntity,
  },
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

function creation(kind: string, title: string, text?: string): Call['input'] {
  const titled = { [kind === 'project' ? 'name' : 'title']: unquoted(title) };
  return text === undefined ? titled : { ...titled, [FIELDS[kind] ?? 'description']: text };
}

type Found = { readonly entity_id: string; readonly title?: string };

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
      const { items = [] } = (outcomes.at(-1)?.output ?? {}) as { items?: Found[] };
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
