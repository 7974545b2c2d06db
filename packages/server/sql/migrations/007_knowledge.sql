-- Knowledge: projects, the entities in them, the edges between entities, and the structure of each project's documents.

-- An entity as it is now. `title` is the name that people see. `fields` holds what only its kind has; the server's definition of
-- the kind validates it. A document's id is its file's id, and its fields follow the file. `project_id` is null for projects.
-- A removed project removes all that is in it: those entities keep their own `removed_at`.
create table entities (
  id uuid primary key,
  workspace_id uuid not null references workspaces (id),
  kind text not null,
  project_id uuid,
  version integer not null,
  title text not null,
  state text,
  fields jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  removed_at timestamptz
) with (fillfactor = 80);

create index entities_list on entities (workspace_id, kind, project_id, id) where removed_at is null;
create index entities_board on entities (project_id, kind, state, id) where removed_at is null;
create index entities_removed on entities (removed_at) where removed_at is not null;

-- The versions of entities that are not files: the whole entity after each change, and its author. A document's versions are
-- those of its file.
create table entity_versions (
  workspace_id uuid not null,
  entity_id uuid not null,
  version integer not null,
  op text not null check (op in ('create', 'update', 'remove', 'restore', 'link', 'unlink')),
  entity jsonb not null,
  author json not null,
  at timestamptz not null,
  primary key (entity_id, version)
);

-- Edges: from one entity to another, by a relation of the vocabulary.
create table edges (
  id uuid primary key,
  workspace_id uuid not null,
  from_id uuid not null,
  to_id uuid not null,
  rel text not null,
  created_at timestamptz not null
);

create unique index edges_from on edges (from_id, rel, to_id);
create index edges_to on edges (to_id);

-- What a project has besides its entity. `folded` is its case-folded folder, which it keeps when it is renamed: its documents are the
-- Markdown files below <folder>/docs/. `structure_version` counts the changes of the document structure.
create table projects (
  id uuid primary key,
  workspace_id uuid not null,
  folder text collate "C" not null,
  folded text collate "C" not null,
  structure_version integer not null default 0
) with (fillfactor = 80);

create unique index projects_folder on projects (workspace_id, folded);

-- The document structure: where each live document stands. `parent_id` is another document, or the project for a document at the
-- root. `position` counts the siblings from 0 without a gap. `folded` is the case-folded path of the document's file.
create table document_places (
  id uuid primary key,
  workspace_id uuid not null,
  project_id uuid not null,
  parent_id uuid not null,
  position integer not null,
  folded text collate "C" not null
) with (fillfactor = 80);

create index document_places_children on document_places (parent_id, position);
create index document_places_paths on document_places (project_id, folded);

-- Documents that came from disk into a folder whose own document is missing. A moment later the server adds an empty one, unless the
-- missing one has come from disk as well.
create table parentless_documents (
  workspace_id uuid not null,
  id uuid not null,
  primary key (workspace_id, id)
);
