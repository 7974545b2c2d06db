-- Publications that wait for their time.

-- One version of a piece, which a pod publishes at its time. The row goes in the transaction that publishes the piece, so that
-- a publication happens once. `problem` says why it could not be published; the row then waits for a person.
create table scheduled_publications (
  workspace_id uuid not null references workspaces (id),
  type text not null,
  slug text not null,
  file_id uuid not null,
  version integer not null,
  title text not null,
  at timestamptz not null,
  scheduled_by json not null,
  problem text,
  created_at timestamptz not null default clock_timestamp(),
  primary key (workspace_id, type, slug)
);

create index scheduled_publications_due on scheduled_publications (at) where problem is null;
