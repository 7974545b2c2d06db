-- Search: the words of everything that can be found, files and entities alike. The tables are derived data: each row can be made
-- again from the file or the entity. The former index of files is replaced, and every text is indexed again.

drop table file_words;
drop table unindexed;

-- The words of each live text file and each live entity that is not a file. `words` also holds one lexeme that names the workspace
-- (see workspace_lexeme), so that the index itself keeps workspaces apart. The index's pending list is short, because every search reads
-- it. No foreign key: its check would lock files that are being written.
create table indexed_texts (
  object_id uuid primary key,
  workspace_id uuid not null,
  words tsvector not null
) with (toast_tuple_target = 8160);

create index indexed_texts_words on indexed_texts using gin (words) with (gin_pending_list_limit = 1024);

-- How many of a workspace's indexed texts have a word: a rare word says more about what is looked for than a common one. The
-- workspace's own lexeme counts all of them.
create table vocabulary (
  workspace_id uuid not null,
  word text collate "C" not null,
  texts integer not null,
  primary key (workspace_id, word)
) with (fillfactor = 80);

-- What is not in the search index yet. A write inserts a row; the next search, or a pod a moment later, indexes the object and
-- deletes the row. `text` is an entity's; a file's is read from its content. Each version has a row of its own, so a writer never waits
-- for an indexer.
create table unindexed (
  workspace_id uuid not null,
  object_id uuid not null,
  version integer not null,
  text text,
  primary key (workspace_id, object_id, version)
);

insert into unindexed (workspace_id, object_id, version)
  select workspace_id, id, version from files where removed_at is null and is_text;
insert into unindexed (workspace_id, object_id, version, text)
  select e.workspace_id, e.id, e.version, concat_ws(E'\n', e.title, (
    select string_agg(f.value #>> '{}', E'\n') from jsonb_each(e.fields) f where jsonb_typeof(f.value) = 'string'))
  from entities e where e.removed_at is null and e.kind <> 'document';

-- Words that are spelled almost like one of the question are found by their trigrams. Where the extension is not available, or this role
-- may not install it, searches find no near misses; see docs/search.md.
do $$ begin
  create extension if not exists pg_trgm;
  create index vocabulary_similar on vocabulary using gin (word gin_trgm_ops);
exception when insufficient_privilege or feature_not_supported or undefined_file or undefined_object then
  raise warning 'search finds no misspelled words, because the extension pg_trgm cannot be installed (%); docs/search.md says how', sqlerrm;
end $$;
