-- What was live when, and the versions of the files that published pieces show.

-- One row for each time that a version of a piece went live. The oldest rows of a piece go when it has too many.
create table publications (
  workspace_id uuid not null references workspaces (id),
  type text not null,
  slug text not null,
  at timestamptz not null,
  file_id uuid not null,
  version integer not null,
  title text not null,
  published_by json not null,
  -- When another version replaced it, or it was taken off. Null while it is live.
  until timestamptz,
  primary key (workspace_id, type, slug, at)
);

insert into publications (workspace_id, type, slug, at, file_id, version, title, published_by)
  select workspace_id, type, slug, published_at, file_id, version, title, published_by from published;

-- A file that a published piece shows, in the version that it had when the piece was published.
create table shown_files (
  workspace_id uuid not null,
  type text not null,
  slug text not null,
  file_id uuid not null,
  version integer not null,
  primary key (workspace_id, type, slug, file_id),
  foreign key (workspace_id, type, slug) references published (workspace_id, type, slug) on delete cascade
);

create index shown_files_of_workspace on shown_files (workspace_id, file_id);

insert into shown_files (workspace_id, type, slug, file_id, version)
  select p.workspace_id, p.type, p.slug, f.id, f.version
    from published p, unnest(p.assets) as asset (id) join files f on f.id = asset.id;

alter table published drop column assets;
