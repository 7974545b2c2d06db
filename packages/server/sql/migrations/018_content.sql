-- Content: what a workspace has published.

-- A published piece of content: one version of a file, as it was when it was published. Later versions of the file change nothing
-- here. `fields` are its front matter, `html` its sanitised body, `assets` the files that it shows.
create table published (
  workspace_id uuid not null references workspaces (id),
  type text not null,
  slug text not null,
  file_id uuid not null,
  version integer not null,
  title text not null,
  fields jsonb not null,
  body text not null,
  html text not null,
  assets uuid[] not null,
  first_published_at timestamptz not null,
  published_at timestamptz not null,
  published_by json not null,
  primary key (workspace_id, type, slug)
);

create unique index published_file on published (workspace_id, file_id);
create index published_newest on published (workspace_id, type, published_at desc, slug);
create index published_assets on published using gin (assets);
