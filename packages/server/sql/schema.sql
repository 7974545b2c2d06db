-- What a migrated database holds, printed from its catalogue. This file is for reading: to change the schema, change
-- migrations/ or functions/, then run `npm run generate`.

sequence pod_numbers as integer cycle

table approvals (
  id uuid not null,
  workspace_id uuid not null,
  thread_id uuid not null,
  run_id uuid not null,
  call text not null,
  tool text not null,
  kind text not null,
  input json not null,
  paths json not null,
  reason text not null,
  asked_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  decision text,
  decided_input json,
  comment text,
  decided_at timestamp with time zone,
  decided_by json,
  constraint approvals_pkey PRIMARY KEY (id),
  constraint approvals_decision_check CHECK ((decision = ANY (ARRAY['approve'::text, 'deny'::text, 'edit'::text, 'retry'::text, 'skip'::text, 'answer'::text, 'expired'::text, 'canceled'::text]))),
  constraint approvals_kind_check CHECK ((kind = ANY (ARRAY['call'::text, 'unknown_outcome'::text, 'question'::text]))),
  constraint approvals_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id),
  constraint approvals_thread_id_fkey FOREIGN KEY (thread_id) REFERENCES threads(id),
  constraint approvals_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
)
CREATE INDEX approvals_listed ON public.approvals USING btree (workspace_id, asked_at DESC, id DESC)
CREATE INDEX approvals_of_run ON public.approvals USING btree (run_id)
CREATE INDEX approvals_of_thread ON public.approvals USING btree (thread_id)
CREATE INDEX approvals_open ON public.approvals USING btree (workspace_id, asked_at DESC, id DESC) WHERE (decision IS NULL)

table assignment_events (
  run_id uuid not null,
  message text not null,
  claim uuid not null,
  seq integer not null,
  workspace_id uuid not null,
  events json not null,
  constraint assignment_events_pkey PRIMARY KEY (run_id, message, claim, seq),
  constraint assignment_events_run_id_message_fkey FOREIGN KEY (run_id, message) REFERENCES assignments(run_id, message) ON DELETE CASCADE,
  constraint assignment_events_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
)

table assignments (
  run_id uuid not null,
  message text not null,
  workspace_id uuid not null,
  thread_id uuid not null,
  executor text not null,
  role text not null,
  attempt integer not null,
  request json,
  status text not null default 'waiting'::text,
  reason text,
  claim uuid,
  claimed_by text,
  claims integer not null default 0,
  lease_until timestamp with time zone,
  last_seq integer not null default 0,
  offered_at timestamp with time zone not null default clock_timestamp(),
  ended_at timestamp with time zone,
  constraint assignments_pkey PRIMARY KEY (run_id, message),
  constraint assignments_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'claimed'::text, 'answered'::text, 'ended'::text]))),
  constraint assignments_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE,
  constraint assignments_thread_id_fkey FOREIGN KEY (thread_id) REFERENCES threads(id) ON DELETE CASCADE,
  constraint assignments_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
)
CREATE INDEX assignments_ended ON public.assignments USING btree (ended_at) WHERE (status = 'ended'::text)
CREATE INDEX assignments_of_thread ON public.assignments USING btree (thread_id)
CREATE INDEX assignments_waiting ON public.assignments USING btree (executor, offered_at) WHERE (status = 'waiting'::text)

table audit_settings (
  only_row boolean not null default true,
  tool_summary_lines integer not null default 5,
  constraint audit_settings_pkey PRIMARY KEY (only_row),
  constraint audit_settings_only_row_check CHECK (only_row),
  constraint audit_settings_tool_summary_lines_check CHECK (((tool_summary_lines >= 1) AND (tool_summary_lines <= 1000)))
)

table budgets (
  run_id uuid not null,
  workspace_id uuid not null,
  steps integer not null default 0,
  tokens bigint not null default 0,
  cost double precision not null default 0,
  constraint budgets_pkey PRIMARY KEY (run_id),
  constraint budgets_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE
) with (fillfactor=70)

table changes (
  workspace_id uuid not null,
  seq bigint not null,
  type text not null,
  object_id uuid not null,
  data json not null,
  at timestamp with time zone not null default clock_timestamp(),
  constraint changes_pkey PRIMARY KEY (workspace_id, seq)
)
CREATE INDEX changes_moved ON public.changes USING btree (workspace_id, ((data ->> 'from'::text)), seq) WHERE (type = 'file_moved'::text)
CREATE TRIGGER changes_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.changes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()

table chunks (
  hash bytea not null,
  data bytea not null,
  kept boolean not null default false,
  touched_at timestamp with time zone not null default clock_timestamp(),
  constraint chunks_pkey PRIMARY KEY (hash)
) with (fillfactor=90)
CREATE INDEX chunks_loose ON public.chunks USING btree (touched_at) WHERE (NOT kept)

table context_manifests (
  thread_id uuid not null,
  seq integer not null,
  try smallint not null,
  workspace_id uuid not null,
  run_id uuid,
  message text,
  purpose text not null,
  model text not null,
  hash bytea not null,
  parts bytea not null,
  history json,
  feed_seq bigint,
  at timestamp with time zone not null,
  constraint context_manifests_pkey PRIMARY KEY (thread_id, seq, try),
  constraint context_manifests_thread_id_fkey FOREIGN KEY (thread_id) REFERENCES threads(id) ON DELETE CASCADE
)

table context_texts (
  owner_id uuid not null,
  hash bytea not null,
  workspace_id uuid not null,
  entity_id uuid,
  text json not null,
  constraint context_texts_pkey PRIMARY KEY (owner_id, hash),
  constraint context_texts_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
)
CREATE INDEX context_texts_of_entity ON public.context_texts USING btree (entity_id) WHERE (entity_id IS NOT NULL)

table definitions (
  name text not null,
  hash text not null,
  applied_at timestamp with time zone not null default now(),
  constraint definitions_pkey PRIMARY KEY (name)
)

table document_places (
  id uuid not null,
  workspace_id uuid not null,
  project_id uuid not null,
  parent_id uuid not null,
  position integer not null,
  folded text collate "C" not null,
  constraint document_places_pkey PRIMARY KEY (id)
) with (fillfactor=80)
CREATE INDEX document_places_children ON public.document_places USING btree (parent_id, "position")
CREATE INDEX document_places_paths ON public.document_places USING btree (project_id, folded)

table edges (
  id uuid not null,
  workspace_id uuid not null,
  from_id uuid not null,
  to_id uuid not null,
  rel text not null,
  created_at timestamp with time zone not null,
  constraint edges_pkey PRIMARY KEY (id)
)
CREATE INDEX edges_to ON public.edges USING btree (to_id)
CREATE UNIQUE INDEX edges_from ON public.edges USING btree (from_id, rel, to_id)

table entities (
  id uuid not null,
  workspace_id uuid not null,
  kind text not null,
  project_id uuid,
  version integer not null,
  title text not null,
  state text,
  fields jsonb not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  removed_at timestamp with time zone,
  constraint entities_pkey PRIMARY KEY (id),
  constraint entities_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
) with (fillfactor=80)
CREATE INDEX entities_board ON public.entities USING btree (project_id, kind, state, id) WHERE (removed_at IS NULL)
CREATE INDEX entities_list ON public.entities USING btree (workspace_id, kind, project_id, id) WHERE (removed_at IS NULL)
CREATE INDEX entities_removed ON public.entities USING btree (removed_at) WHERE (removed_at IS NOT NULL)

table entity_versions (
  workspace_id uuid not null,
  entity_id uuid not null,
  version integer not null,
  op text not null,
  entity jsonb not null,
  author json not null,
  at timestamp with time zone not null,
  constraint entity_versions_pkey PRIMARY KEY (entity_id, version),
  constraint entity_versions_op_check CHECK ((op = ANY (ARRAY['create'::text, 'update'::text, 'remove'::text, 'restore'::text, 'link'::text, 'unlink'::text])))
)

table events (
  thread_id uuid not null,
  seq integer not null,
  run_id uuid,
  run_seq integer,
  attempt integer not null,
  type text not null,
  data json not null,
  at timestamp with time zone not null,
  constraint events_pkey PRIMARY KEY (thread_id, seq)
)
CREATE INDEX events_titled ON public.events USING btree (thread_id) WHERE (type = 'titled'::text)
CREATE INDEX events_whole ON public.events USING btree (thread_id, seq) WHERE (type <> ALL (ARRAY['token'::text, 'reasoning'::text]))
CREATE TRIGGER events_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()

table execution_changes (
  workspace_id uuid not null,
  run_id uuid not null,
  call_id text not null,
  path text not null,
  part integer not null,
  base integer not null,
  size bigint not null,
  is_text boolean not null,
  data bytea not null,
  applied_version integer,
  constraint execution_changes_pkey PRIMARY KEY (run_id, call_id, path, part),
  constraint execution_changes_run_id_call_id_fkey FOREIGN KEY (run_id, call_id) REFERENCES executions(run_id, call_id) ON DELETE CASCADE,
  constraint execution_changes_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
)

table executions (
  workspace_id uuid not null,
  thread_id uuid not null,
  run_id uuid not null,
  call_id text not null,
  command text not null,
  cwd text not null,
  output text not null default ''::text,
  output_bytes bigint not null default 0,
  exit_code integer,
  ended_by text,
  left_out json not null default '[]'::json,
  started_at timestamp with time zone not null default clock_timestamp(),
  ended_at timestamp with time zone,
  network json not null default '[]'::json,
  constraint executions_pkey PRIMARY KEY (run_id, call_id),
  constraint executions_thread_id_fkey FOREIGN KEY (thread_id) REFERENCES threads(id) ON DELETE CASCADE,
  constraint executions_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
)
CREATE INDEX executions_of_thread ON public.executions USING btree (thread_id, started_at DESC)

table executor_states (
  run_id uuid not null,
  message text not null,
  workspace_id uuid not null,
  state json not null,
  constraint executor_states_pkey PRIMARY KEY (run_id, message),
  constraint executor_states_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE,
  constraint executor_states_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
)

table executors (
  name text not null,
  workspace_id uuid,
  role text,
  waits_until timestamp with time zone not null,
  constraint executors_name_workspace_id_role_key UNIQUE NULLS NOT DISTINCT (name, workspace_id, role),
  constraint executors_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
)

table file_versions (
  workspace_id uuid not null,
  file_id uuid not null,
  version integer not null,
  op text not null,
  path text not null,
  hash bytea not null,
  size bigint not null,
  chunks bytea[] not null,
  is_text boolean not null,
  author json not null,
  at timestamp with time zone not null default clock_timestamp(),
  constraint file_versions_pkey PRIMARY KEY (file_id, version),
  constraint file_versions_op_check CHECK ((op = ANY (ARRAY['write'::text, 'move'::text, 'remove'::text, 'restore'::text])))
)
CREATE TRIGGER file_versions_immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON public.file_versions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()

table files (
  id uuid not null,
  workspace_id uuid not null,
  path text collate "C" not null,
  folded text collate "C" not null,
  kind text not null,
  version integer not null,
  hash bytea not null,
  size bigint not null,
  is_text boolean not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  changed_at timestamp with time zone not null default clock_timestamp(),
  removed_at timestamp with time zone,
  constraint files_pkey PRIMARY KEY (id),
  constraint files_kind_check CHECK ((kind = ANY (ARRAY['file'::text, 'agent'::text, 'plan'::text]))),
  constraint files_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
) with (fillfactor=80)
CREATE INDEX files_removed ON public.files USING btree (workspace_id, folded, removed_at) WHERE (removed_at IS NOT NULL)
CREATE UNIQUE INDEX files_live ON public.files USING btree (workspace_id, folded) WHERE (removed_at IS NULL)

table held_removals (
  workspace_id uuid not null,
  since timestamp with time zone not null default clock_timestamp(),
  files integer not null,
  removed uuid[] not null default '{}'::uuid[],
  decision text,
  decided_by json,
  constraint held_removals_pkey PRIMARY KEY (workspace_id),
  constraint held_removals_decision_check CHECK ((decision = ANY (ARRAY['restore'::text, 'remove'::text]))),
  constraint held_removals_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
)

table idempotency_keys (
  workspace_id uuid not null,
  key text not null,
  request_hash text not null,
  response json not null,
  created_at timestamp with time zone not null default now(),
  constraint idempotency_keys_pkey PRIMARY KEY (workspace_id, key),
  constraint idempotency_keys_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
)
CREATE INDEX idempotency_keys_age ON public.idempotency_keys USING btree (created_at)

table indexed_texts (
  object_id uuid not null,
  workspace_id uuid not null,
  words tsvector not null,
  constraint indexed_texts_pkey PRIMARY KEY (object_id)
) with (toast_tuple_target=8160)
CREATE INDEX indexed_texts_words ON public.indexed_texts USING gin (words) WITH (gin_pending_list_limit='1024')

table mcp_servers (
  workspace_id uuid not null,
  name text not null,
  config json not null,
  enabled boolean not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  updated_at timestamp with time zone not null default clock_timestamp(),
  constraint mcp_servers_pkey PRIMARY KEY (workspace_id, name),
  constraint mcp_servers_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
)

table message_index (
  workspace_id uuid not null,
  indexed_until timestamp with time zone not null,
  constraint message_index_pkey PRIMARY KEY (workspace_id),
  constraint message_index_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
)

table messages (
  id uuid not null,
  workspace_id uuid not null,
  thread_id uuid not null,
  run_id uuid not null,
  ordinal integer not null,
  seq integer not null,
  role text not null,
  content json not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  principal json,
  constraint messages_pkey PRIMARY KEY (id),
  constraint messages_role_check CHECK ((role = ANY (ARRAY['user'::text, 'assistant'::text]))),
  constraint messages_thread_id_fkey FOREIGN KEY (thread_id) REFERENCES threads(id)
)
CREATE INDEX messages_created ON public.messages USING brin (created_at) WITH (pages_per_range='32')
CREATE INDEX messages_read ON public.messages USING btree (thread_id, ordinal, seq)

table migrations (
  name text not null,
  applied_at timestamp with time zone not null default now(),
  constraint migrations_pkey PRIMARY KEY (name)
)

table notes (
  thread_id uuid not null,
  name text collate "C" not null,
  text text not null,
  run_id uuid not null,
  changed_at timestamp with time zone not null default clock_timestamp(),
  constraint notes_pkey PRIMARY KEY (thread_id, name),
  constraint notes_thread_id_fkey FOREIGN KEY (thread_id) REFERENCES threads(id) ON DELETE CASCADE
)

table parentless_documents (
  workspace_id uuid not null,
  id uuid not null,
  constraint parentless_documents_pkey PRIMARY KEY (workspace_id, id)
)

table plan_steps (
  workspace_id uuid not null,
  plan_id uuid not null,
  step_id text not null,
  position integer,
  title text not null,
  status text not null,
  shown text not null,
  run_id uuid,
  chat_id uuid,
  error text,
  cost double precision,
  updated_at timestamp with time zone not null,
  constraint plan_steps_pkey PRIMARY KEY (plan_id, step_id),
  constraint plan_steps_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'running'::text, 'done'::text, 'failed'::text, 'skipped'::text, 'blocked'::text]))),
  constraint plan_steps_plan_id_fkey FOREIGN KEY (plan_id) REFERENCES plans(id) ON DELETE CASCADE
) with (fillfactor=80)

table plans (
  id uuid not null,
  workspace_id uuid not null,
  file_version integer not null default 0,
  hash text,
  problems jsonb not null default '[]'::jsonb,
  state text not null default 'draft'::text,
  approved_version integer,
  approved_hash text,
  approved_by json,
  approved_at timestamp with time zone,
  run_id uuid,
  chat_id uuid,
  is_dirty boolean not null default false,
  rendered_at timestamp with time zone,
  constraint plans_pkey PRIMARY KEY (id),
  constraint plans_state_check CHECK ((state = ANY (ARRAY['draft'::text, 'approved'::text, 'running'::text, 'paused'::text, 'done'::text, 'failed'::text, 'stopped'::text]))),
  constraint plans_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
) with (fillfactor=80)
CREATE INDEX plans_dirty ON public.plans USING btree (rendered_at) WHERE is_dirty
CREATE INDEX plans_workspace ON public.plans USING btree (workspace_id)
CREATE TRIGGER plans_waiting AFTER UPDATE ON public.plans FOR EACH ROW WHEN (((new.run_id IS NOT NULL) AND (new.hash IS NOT NULL) AND (new.problems = '[]'::jsonb) AND (new.hash IS DISTINCT FROM new.approved_hash) AND ((old.run_id IS DISTINCT FROM new.run_id) OR (NOT (old.hash IS DISTINCT FROM old.approved_hash))))) EXECUTE FUNCTION plan_waiting()

table pods (
  id uuid not null,
  number integer not null,
  name text not null,
  lease interval not null,
  started_at timestamp with time zone not null default clock_timestamp(),
  heartbeat_at timestamp with time zone not null default clock_timestamp(),
  constraint pods_pkey PRIMARY KEY (id),
  constraint pods_number_key UNIQUE (number)
)

table projects (
  id uuid not null,
  workspace_id uuid not null,
  folder text collate "C" not null,
  folded text collate "C" not null,
  structure_version integer not null default 0,
  constraint projects_pkey PRIMARY KEY (id)
) with (fillfactor=80)
CREATE UNIQUE INDEX projects_folder ON public.projects USING btree (workspace_id, folded)

table publications (
  workspace_id uuid not null,
  type text not null,
  slug text not null,
  at timestamp with time zone not null,
  file_id uuid not null,
  version integer not null,
  title text not null,
  published_by json not null,
  until timestamp with time zone,
  constraint publications_pkey PRIMARY KEY (workspace_id, type, slug, at),
  constraint publications_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
)

table published (
  workspace_id uuid not null,
  type text not null,
  slug text not null,
  file_id uuid not null,
  version integer not null,
  title text not null,
  fields jsonb not null,
  body text not null,
  html text not null,
  first_published_at timestamp with time zone not null,
  published_at timestamp with time zone not null,
  published_by json not null,
  constraint published_pkey PRIMARY KEY (workspace_id, type, slug),
  constraint published_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
)
CREATE INDEX published_newest ON public.published USING btree (workspace_id, type, published_at DESC, slug)
CREATE UNIQUE INDEX published_file ON public.published USING btree (workspace_id, file_id)

table read_keys (
  id uuid not null,
  workspace_id uuid not null,
  name text not null,
  key_hash bytea not null,
  created_by json not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  used_at timestamp with time zone,
  constraint read_keys_pkey PRIMARY KEY (id),
  constraint read_keys_key_hash_key UNIQUE (key_hash),
  constraint read_keys_workspace_id_name_key UNIQUE (workspace_id, name),
  constraint read_keys_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
)

table reservations (
  run_id uuid not null,
  message text collate "C" not null,
  workspace_id uuid not null,
  budget uuid not null,
  tokens bigint not null,
  cost double precision not null,
  constraint reservations_pkey PRIMARY KEY (run_id, message),
  constraint reservations_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE
)

table runs (
  id uuid not null,
  workspace_id uuid not null,
  thread_id uuid not null,
  ordinal integer not null,
  message_id uuid not null,
  retry_of uuid,
  model text not null,
  role text not null,
  status text not null default 'queued'::text,
  limits json,
  error json,
  usage json,
  cost double precision,
  first_seq integer,
  last_seq integer,
  queued_at timestamp with time zone not null default clock_timestamp(),
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  cancel_requested_at timestamp with time zone,
  cancel_reason text,
  pause_requested_at timestamp with time zone,
  steers integer not null default 0,
  rewinds uuid,
  rewound boolean not null default false,
  steered_into uuid,
  principal json not null,
  cancel_requested_by json,
  pause_requested_by json,
  parent_run uuid,
  reported boolean not null default false,
  directive json,
  tools json,
  budget uuid,
  constraint runs_pkey PRIMARY KEY (id),
  constraint runs_thread_id_ordinal_key UNIQUE (thread_id, ordinal),
  constraint runs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'error'::text, 'canceled'::text]))),
  constraint runs_retry_of_fkey FOREIGN KEY (retry_of) REFERENCES runs(id),
  constraint runs_thread_id_fkey FOREIGN KEY (thread_id) REFERENCES threads(id)
) with (fillfactor=70)
CREATE INDEX runs_by_time ON public.runs USING btree (queued_at, id)
CREATE INDEX runs_of_parent ON public.runs USING btree (parent_run) WHERE ((parent_run IS NOT NULL) AND (NOT reported))
CREATE INDEX runs_open ON public.runs USING btree (thread_id, ordinal) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]))
CREATE TRIGGER runs_not_in_removed BEFORE INSERT ON public.runs FOR EACH ROW EXECUTE FUNCTION refuse_removed()

table schedule_times (
  schedule_id uuid not null,
  workspace_id uuid not null,
  at timestamp with time zone not null,
  outcome text not null,
  manual boolean not null,
  earlier integer not null,
  reason text,
  thread_id uuid,
  run_id uuid,
  decided_at timestamp with time zone not null default clock_timestamp(),
  constraint schedule_times_pkey PRIMARY KEY (schedule_id, at),
  constraint schedule_times_outcome_check CHECK ((outcome = ANY (ARRAY['started'::text, 'missed'::text, 'skipped'::text, 'refused'::text]))),
  constraint schedule_times_schedule_id_fkey FOREIGN KEY (schedule_id) REFERENCES schedules(id) ON DELETE CASCADE
)

table scheduled_publications (
  workspace_id uuid not null,
  type text not null,
  slug text not null,
  file_id uuid not null,
  version integer not null,
  title text not null,
  at timestamp with time zone not null,
  scheduled_by json not null,
  problem text,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint scheduled_publications_pkey PRIMARY KEY (workspace_id, type, slug),
  constraint scheduled_publications_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
)
CREATE INDEX scheduled_publications_due ON public.scheduled_publications USING btree (at) WHERE (problem IS NULL)

table schedules (
  id uuid not null,
  workspace_id uuid not null,
  name text not null,
  cron text not null,
  time_zone text not null,
  start json not null,
  missed text not null,
  overlap text not null,
  paused boolean not null,
  principal json not null,
  next_at timestamp with time zone,
  last_run uuid,
  created_at timestamp with time zone not null default clock_timestamp(),
  updated_at timestamp with time zone not null default clock_timestamp(),
  constraint schedules_pkey PRIMARY KEY (id),
  constraint schedules_workspace_id_name_key UNIQUE (workspace_id, name),
  constraint schedules_missed_check CHECK ((missed = ANY (ARRAY['skip'::text, 'run_once'::text]))),
  constraint schedules_overlap_check CHECK ((overlap = ANY (ARRAY['skip'::text, 'queue'::text]))),
  constraint schedules_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
)
CREATE INDEX schedules_due ON public.schedules USING btree (next_at) WHERE (next_at IS NOT NULL)

table secrets (
  workspace_id uuid not null,
  name text not null,
  sealed bytea not null,
  key_id text not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  updated_at timestamp with time zone not null default clock_timestamp(),
  constraint secrets_pkey PRIMARY KEY (workspace_id, name),
  constraint secrets_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
)

table sessions (
  id uuid not null,
  workspace_id uuid not null,
  thread_id uuid not null,
  state text not null,
  reason text not null,
  started_at timestamp with time zone not null default clock_timestamp(),
  changed_at timestamp with time zone not null default clock_timestamp(),
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_state_check CHECK ((state = ANY (ARRAY['idle'::text, 'running'::text, 'paused'::text, 'error'::text, 'cancelled'::text, 'completed'::text]))),
  constraint sessions_thread_id_fkey FOREIGN KEY (thread_id) REFERENCES threads(id)
)
CREATE UNIQUE INDEX sessions_one_live ON public.sessions USING btree (thread_id) WHERE (state = ANY (ARRAY['idle'::text, 'running'::text, 'paused'::text]))

table shown_files (
  workspace_id uuid not null,
  type text not null,
  slug text not null,
  file_id uuid not null,
  version integer not null,
  constraint shown_files_pkey PRIMARY KEY (workspace_id, type, slug, file_id),
  constraint shown_files_workspace_id_type_slug_fkey FOREIGN KEY (workspace_id, type, slug) REFERENCES published(workspace_id, type, slug) ON DELETE CASCADE
)
CREATE INDEX shown_files_of_workspace ON public.shown_files USING btree (workspace_id, file_id)

table thread_snapshots (
  thread_id uuid not null,
  version integer not null,
  seq integer not null,
  state json not null,
  made_at timestamp with time zone not null default clock_timestamp(),
  constraint thread_snapshots_pkey PRIMARY KEY (thread_id),
  constraint thread_snapshots_thread_id_fkey FOREIGN KEY (thread_id) REFERENCES threads(id) ON DELETE CASCADE
)

table threads (
  id uuid not null,
  workspace_id uuid not null,
  title text,
  created_at timestamp with time zone not null default now(),
  wake_at timestamp with time zone,
  owner uuid,
  attempt integer not null default 0,
  role text,
  model text,
  mode text not null default 'chat_mode'::text,
  title_wanted boolean not null default false,
  archived_at timestamp with time zone,
  removed_at timestamp with time zone,
  stop_requested_at timestamp with time zone,
  pinged_at timestamp with time zone,
  active_at timestamp with time zone not null default clock_timestamp(),
  stop_requested_by json,
  focus json,
  state_edits json[] not null default '{}'::json[],
  parent_run uuid,
  depth integer not null default 0,
  pinned_at timestamp with time zone,
  constraint threads_pkey PRIMARY KEY (id),
  constraint threads_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
) with (fillfactor=70)
CREATE INDEX threads_active ON public.threads USING btree (workspace_id, active_at DESC, id DESC) WHERE (parent_run IS NULL)
CREATE INDEX threads_due ON public.threads USING btree (wake_at) WHERE ((owner IS NULL) AND (wake_at IS NOT NULL))
CREATE INDEX threads_listed ON public.threads USING btree (workspace_id, created_at DESC, id DESC) WHERE (parent_run IS NULL)
CREATE INDEX threads_of_parent ON public.threads USING btree (parent_run) WHERE (parent_run IS NOT NULL)
CREATE INDEX threads_owned ON public.threads USING btree (owner) WHERE (owner IS NOT NULL)
CREATE INDEX threads_removed ON public.threads USING btree (removed_at) WHERE (removed_at IS NOT NULL)
CREATE INDEX threads_short ON public.threads USING btree (workspace_id, "right"((id)::text, 12))

table token_ratios (
  workspace_id uuid not null,
  model text not null,
  ratio real not null,
  estimated double precision not null,
  reported double precision not null,
  changed_at timestamp with time zone not null default now(),
  constraint token_ratios_pkey PRIMARY KEY (workspace_id, model),
  constraint token_ratios_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
)

table triggers (
  id uuid not null,
  workspace_id uuid not null,
  name text not null,
  token_hash bytea not null,
  start json not null,
  secret text,
  enabled boolean not null,
  principal json not null,
  used_at timestamp with time zone,
  uses integer not null default 0,
  created_at timestamp with time zone not null default clock_timestamp(),
  updated_at timestamp with time zone not null default clock_timestamp(),
  constraint triggers_pkey PRIMARY KEY (id),
  constraint triggers_token_hash_key UNIQUE (token_hash),
  constraint triggers_workspace_id_name_key UNIQUE (workspace_id, name),
  constraint triggers_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
)

table unindexed (
  workspace_id uuid not null,
  object_id uuid not null,
  version integer not null,
  text text,
  constraint unindexed_pkey PRIMARY KEY (workspace_id, object_id, version)
)

table vocabulary (
  workspace_id uuid not null,
  word text collate "C" not null,
  texts integer not null,
  constraint vocabulary_pkey PRIMARY KEY (workspace_id, word)
) with (fillfactor=80)
CREATE INDEX vocabulary_similar ON public.vocabulary USING gin (word gin_trgm_ops)

table webhook_deliveries (
  id uuid not null,
  workspace_id uuid not null,
  webhook_id uuid not null,
  event text not null,
  payload json not null,
  state text not null default 'waiting'::text,
  attempts integer not null default 0,
  next_at timestamp with time zone not null default clock_timestamp(),
  status integer,
  error text,
  created_at timestamp with time zone not null default clock_timestamp(),
  attempted_at timestamp with time zone,
  constraint webhook_deliveries_pkey PRIMARY KEY (id),
  constraint webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'delivered'::text, 'dead'::text]))),
  constraint webhook_deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id) ON DELETE CASCADE
) with (fillfactor=80)
CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (next_at) WHERE (state = 'waiting'::text)
CREATE INDEX webhook_deliveries_listed ON public.webhook_deliveries USING btree (webhook_id, created_at DESC, id DESC)

table webhooks (
  id uuid not null,
  workspace_id uuid not null,
  url text not null,
  events text[] not null,
  secret text not null,
  enabled boolean not null,
  principal json not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  updated_at timestamp with time zone not null default clock_timestamp(),
  plan_id uuid,
  constraint webhooks_pkey PRIMARY KEY (id),
  constraint webhooks_plan_id_fkey FOREIGN KEY (plan_id) REFERENCES plans(id) ON DELETE CASCADE,
  constraint webhooks_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
)
CREATE INDEX webhooks_of_workspace ON public.webhooks USING btree (workspace_id)

table workspaces (
  id uuid not null,
  name text not null,
  created_at timestamp with time zone not null default now(),
  change_seq bigint not null default 0,
  bytes bigint not null default 0,
  removed_at timestamp with time zone,
  policy json,
  constraint workspaces_pkey PRIMARY KEY (id)
)
CREATE UNIQUE INDEX workspaces_name ON public.workspaces USING btree (name) WHERE (removed_at IS NULL)

view calls_outside_runs (
  thread_id uuid,
  model text,
  usage json,
  cost double precision,
  at timestamp with time zone
)

view chat_messages (
  thread_id uuid,
  run_id uuid,
  seq integer,
  part integer,
  role text,
  message_type text,
  message_id uuid,
  reasoning_id uuid,
  content text,
  files json,
  ended text,
  call text,
  tool_name text,
  tool_arguments json,
  tool_output json,
  tool_success boolean,
  tool_result text,
  created_at timestamp with time zone
)

function add_document(p_workspace uuid, p_file uuid, p_author json)
  returns jsonb language plpgsql

function add_empty_file(p_workspace uuid, p_path text, p_folded text, p_author json)
  returns files language plpgsql

function add_missing_parents(p_workspace uuid, p_files uuid[], p_author json, OUT added uuid[], OUT changes jsonb)
  returns record language plpgsql

function add_webhook_messages(p_workspace uuid, p_event text, p_at timestamp with time zone, p_data json, p_plan uuid)
  returns void language plpgsql

function after_file_changes(p_workspace uuid, p_files uuid[], p_author json)
  returns jsonb language plpgsql

function append_with_changes(p_threads uuid[], p_seqs integer[], p_runs uuid[], p_run_seqs integer[], p_attempts integer[], p_types text[], p_data text[], p_at timestamp with time zone[], p_changes json)
  returns boolean[] language plpgsql

function change_entities(p_workspace uuid, p_changes jsonb, p_author json, p_at timestamp with time zone, p_quota bigint, OUT changes jsonb, OUT states jsonb, OUT seq bigint)
  returns record language plpgsql

function change_plan_state(p_workspace uuid, p_plan uuid, p_from text[], p_to text)
  returns boolean language plpgsql

function change_plan_steps(p_workspace uuid, p_plan uuid, p_changes jsonb, p_at timestamp with time zone)
  returns jsonb language plpgsql

function children_of(p_parent uuid)
  returns jsonb language plpgsql stable

function children_pointer(p_parent uuid, p_project uuid)
  returns text language sql stable

function closes_cycle(p_from uuid, p_to uuid, p_rel text)
  returns boolean language sql stable

function complete_folders(p_workspace uuid)
  returns integer language plpgsql

function context_bundle(p_workspace uuid, p_project uuid, p_entity uuid)
  returns text language plpgsql stable

function copy_version(p_file files, p_op text, p_author json)
  returns boolean language plpgsql

function create_entity(p_workspace uuid, p_id uuid, p_kind text, p_project uuid, p_title text, p_state text, p_fields jsonb, p_entity jsonb, p_change json, p_author json, p_at timestamp with time zone, p_quota bigint)
  returns void language plpgsql

function decide_approval(p_workspace uuid, p_approval uuid, p_decision text, p_input json, p_comment text, p_principal json, OUT outcome text, OUT answer approvals, OUT wake boolean, OUT owner uuid)
  returns record language plpgsql

function delete_thread(p_thread uuid)
  returns void language plpgsql

function delete_workspace(p_workspace uuid)
  returns void language plpgsql

function descendant_threads(p_thread uuid)
  returns TABLE(thread uuid) language sql stable

function displace_document(p_id uuid)
  returns jsonb language plpgsql

function document_head(p_file files, OUT title text, OUT description text, OUT content_length bigint, OUT is_plan boolean, OUT goal text)
  returns record language plpgsql stable

function document_pointer(p_id uuid)
  returns text language plpgsql stable

function document_targets(p_workspace uuid, p_files uuid[])
  returns TABLE(id uuid, project_id uuid, old_project_id uuid, folded text, old_folded text, old_position integer, depth integer) language sql stable

function documents_changed(p_workspace uuid, p_files uuid[], p_author json)
  returns jsonb language plpgsql

function end_family(p_run uuid, p_parent uuid, p_reason text)
  returns void language plpgsql

function end_of_fence(p_data bytea, p_at integer)
  returns integer language plpgsql immutable

function enqueue_run(p_thread uuid, p_run uuid, p_message uuid, p_content json, p_model text, p_role text, p_limits json, p_retry_of uuid, p_pod uuid, p_policy text, p_replaces uuid, p_principal json, p_directive json DEFAULT NULL::json, OUT owner uuid, OUT claimed_attempt integer, OUT workspace_id uuid, OUT ordinal integer, OUT queued_at timestamp with time zone, OUT blocked_by uuid, OUT log_seq integer, OUT content json, OUT steered uuid, OUT title_wanted boolean)
  returns record language plpgsql

function entity_members(p_entity entities, p_edges jsonb)
  returns jsonb language sql stable

function entity_patch(p_old jsonb, p_new jsonb, p_entity entities, p_author json)
  returns jsonb language plpgsql stable

function entity_state(p_entity entities)
  returns jsonb language plpgsql stable

function entity_text(p_title text, p_fields jsonb)
  returns text language plpgsql stable

function file_change(p_file files, p_author json, p_from text)
  returns json language sql stable

function in_the_way(p_workspace uuid, p_path text, p_folded text)
  returns text language plpgsql stable

function index_later(p_workspace uuid, p_object uuid, p_version integer, p_text text)
  returns boolean language plpgsql

function index_texts(p_workspace uuid, p_objects uuid[], p_texts text[])
  returns void language plpgsql

function is_plan_file(p_file files)
  returns boolean language plpgsql stable

function is_read_only(p_folded text)
  returns boolean language sql immutable

function is_removed(p_entity uuid)
  returns boolean language plpgsql stable

function linkable_states(p_workspace uuid, p_ids uuid[])
  returns jsonb[] language plpgsql stable

function mark_rewound(p_first uuid, p_before integer)
  returns void language sql

function message_scope(p_workspace uuid)
  returns uuid language sql immutable parallel safe

function misplaced_documents(p_workspace uuid, p_files uuid[])
  returns TABLE(id uuid, project_id uuid, folded text, "position" integer) language sql stable

function move_file(p_workspace uuid, p_from text, p_path text, p_folded text, p_kind text, p_base integer, p_author json, OUT outcome text, OUT obstacle text, OUT file files, OUT seq bigint, OUT also jsonb)
  returns record language plpgsql

function move_files(p_workspace uuid, p_ids uuid[], p_paths text[], p_folded text[], p_kinds text[], p_author json)
  returns TABLE(outcome text, seq bigint, file files, also jsonb) language plpgsql

function on_append_approval(p_thread uuid, p_run uuid, p_at timestamp with time zone, p_id uuid, p_workspace uuid, p_call text, p_tool text, p_subkind text, p_input json, p_paths json, p_reason text, p_expires_at timestamp with time zone)
  returns boolean language plpgsql

function on_append_child_end(p_run uuid, p_child_run uuid)
  returns boolean language plpgsql

function on_append_end(p_run uuid, p_seq integer, p_at timestamp with time zone, p_status text, p_error json, p_usage json, p_cost double precision, p_steers integer, p_asked boolean)
  returns boolean language plpgsql

function on_append_executor_state(p_run uuid, p_answer text, p_workspace uuid, p_kept json)
  returns boolean language plpgsql

function on_append_manifest(p_thread uuid, p_run uuid, p_seq integer, p_at timestamp with time zone, p_workspace uuid, p_try integer, p_answer text, p_purpose text, p_model text, p_hash text, p_parts text, p_history json, p_feed_seq bigint)
  returns boolean language plpgsql

function on_append_message(p_thread uuid, p_run uuid, p_seq integer, p_at timestamp with time zone, p_id uuid, p_ordinal integer, p_content json)
  returns boolean language plpgsql

function on_append_pause_children(p_run uuid, p_at timestamp with time zone, p_paused boolean)
  returns boolean language plpgsql

function on_append_plan_end(p_run uuid, p_at timestamp with time zone, p_plan uuid, p_plan_state text)
  returns boolean language plpgsql

function on_append_plan_pause(p_run uuid, p_plan uuid, p_plan_state text)
  returns boolean language sql

function on_append_plan_steps(p_thread uuid, p_run uuid, p_at timestamp with time zone, p_plan uuid, p_steps json)
  returns boolean language plpgsql

function on_append_release(p_thread uuid, p_attempt integer, p_wake_at timestamp with time zone)
  returns boolean language plpgsql

function on_append_session(p_thread uuid, p_at timestamp with time zone, p_id uuid, p_state text, p_reason text)
  returns boolean language plpgsql

function on_append_spawn(p_run uuid, p_child_thread uuid, p_child_run uuid, p_message uuid, p_chat_title text, p_role text, p_model text, p_content json, p_limits json, p_tools json)
  returns boolean language plpgsql

function on_append_spend(p_run uuid, p_reserved_for text, p_tokens bigint, p_cost double precision)
  returns boolean language plpgsql

function on_append_start(p_run uuid, p_seq integer, p_at timestamp with time zone)
  returns boolean language plpgsql

function on_append_state_edit(p_thread uuid, p_id uuid)
  returns boolean language plpgsql

function on_append_steered(p_seq integer, p_id uuid)
  returns boolean language plpgsql

function on_append_title(p_thread uuid, p_title text)
  returns boolean language plpgsql

function on_append_unreserve(p_run uuid)
  returns boolean language plpgsql

function on_approval_asked_automation(p_approval uuid, p_workspace uuid)
  returns void language plpgsql

function on_file_changes_knowledge(p_workspace uuid, p_files uuid[], p_author json)
  returns jsonb language plpgsql

function on_plan_ended_automation(p_plan uuid, p_workspace uuid)
  returns void language plpgsql

function on_plan_waiting_automation(p_plan uuid, p_workspace uuid)
  returns void language plpgsql

function on_publication_automation(p_workspace uuid, p_event text, p_data json)
  returns void language plpgsql

function on_purge_entities_context(p_ids uuid[])
  returns void language plpgsql

function on_purge_thread_context(p_thread uuid)
  returns void language plpgsql

function on_purge_thread_log(p_thread uuid)
  returns void language plpgsql

function on_purge_thread_runs(p_thread uuid)
  returns void language plpgsql

function on_purge_thread_search(p_thread uuid)
  returns void language plpgsql

function on_purge_workspace_content(p_workspace uuid)
  returns void language plpgsql

function on_purge_workspace_context(p_workspace uuid)
  returns void language plpgsql

function on_purge_workspace_files(p_workspace uuid)
  returns void language plpgsql

function on_purge_workspace_knowledge(p_workspace uuid)
  returns void language plpgsql

function on_purge_workspace_planning(p_workspace uuid)
  returns void language plpgsql

function on_purge_workspace_runs(p_workspace uuid)
  returns void language plpgsql

function on_run_end_automation(p_run uuid, p_workspace uuid)
  returns void language plpgsql

function open_chat(p_workspace uuid, p_title text, p_chat_role text, p_chat_model text, p_thread uuid, p_run uuid, p_message uuid, p_content json, p_model text, p_role text, p_limits json, p_pod uuid, p_principal json, p_mode text, p_directive json, OUT owner uuid, OUT claimed_attempt integer, OUT workspace_id uuid, OUT ordinal integer, OUT queued_at timestamp with time zone, OUT blocked_by uuid, OUT log_seq integer, OUT content json, OUT steered uuid, OUT title_wanted boolean)
  returns record language plpgsql

function order_operations(p_parent uuid, p_project uuid, p_first integer, p_last integer)
  returns jsonb language sql stable

function parent_of_path(p_project uuid, p_folded text)
  returns uuid language sql stable

function patch_between(p_old jsonb, p_new jsonb)
  returns jsonb language sql immutable

function place_document(p_id uuid, p_parent uuid, p_position integer, p_project uuid, p_workspace uuid, p_folded text)
  returns jsonb language plpgsql

function place_documents(p_workspace uuid, p_projects uuid[], p_gone uuid[], p_here uuid[])
  returns jsonb language plpgsql

function plan_message(p_plan uuid)
  returns json language sql stable

function plan_step_data(p_step plan_steps)
  returns jsonb language sql stable

function plan_waiting()
  returns trigger language plpgsql

function plans_changed(p_workspace uuid, p_files uuid[], p_author json)
  returns jsonb language plpgsql

function pod_tick(p_pod uuid, p_lock_class integer, OUT alive boolean, OUT others integer, OUT removed integer, OUT freed integer, OUT due boolean, OUT next_wake_ms double precision, OUT owned integer, OUT woken uuid[])
  returns record language plpgsql

function publish_content(p_workspace uuid, p_type text, p_slug text, p_file uuid, p_version integer, p_title text, p_fields jsonb, p_body text, p_html text, p_shown uuid[], p_shown_versions integer[], p_by json, p_quota bigint)
  returns published language plpgsql

function published_bytes(p published)
  returns bigint language sql immutable

function purge_chat(p_thread uuid, p_before timestamp with time zone)
  returns boolean language plpgsql

function purge_entities(p_workspace uuid, p_before timestamp with time zone)
  returns integer language plpgsql

function purge_thread(p_thread uuid)
  returns void language plpgsql

function purge_workspace(p_workspace uuid, p_before timestamp with time zone)
  returns boolean language plpgsql

function query_literal(p_lexeme text)
  returns text language sql immutable

function readable(p_data json)
  returns json language sql immutable parallel safe

function record_change(p_workspace uuid, p_type text, p_object uuid, p_data json, p_bytes bigint, p_quota bigint)
  returns bigint language plpgsql

function record_changes(p_workspace uuid, p_changes jsonb, p_bytes bigint, p_quota bigint)
  returns bigint language plpgsql

function record_file_change(p_type text, p_file files, p_author json, p_from text, p_bytes bigint, p_quota bigint)
  returns bigint language plpgsql

function record_file_changes(p_workspace uuid, p_type text, p_files files[], p_author json, p_from text[])
  returns TABLE(outcome text, seq bigint, file files, also jsonb) language plpgsql

function record_unpublished(p_row published)
  returns void language plpgsql

function refresh_documents(p_workspace uuid, p_project uuid, p_author json)
  returns jsonb language plpgsql

function refuse_change()
  returns trigger language plpgsql

function refuse_removed()
  returns trigger language plpgsql

function release_reservations(p_run uuid, p_message text)
  returns void language plpgsql

function remove_file(p_workspace uuid, p_folded text, p_base integer, p_author json, OUT outcome text, OUT file files, OUT seq bigint, OUT also jsonb)
  returns record language plpgsql

function remove_files(p_workspace uuid, p_ids uuid[], p_author json, p_at timestamp with time zone)
  returns TABLE(outcome text, seq bigint, file files, also jsonb) language plpgsql

function reorder_document(p_id uuid, p_parent uuid, p_position integer, p_author json)
  returns jsonb language plpgsql

function reserve_budget(p_budget uuid, p_run uuid, p_message text, p_input integer, p_output integer, p_least integer, p_input_cost double precision, p_output_price double precision, OUT granted integer, OUT refused text)
  returns record language plpgsql

function restore_files(p_workspace uuid, p_ids uuid[], p_author json)
  returns TABLE(outcome text, seq bigint, file files, also jsonb) language plpgsql

function restructure_documents(p_workspace uuid, p_files uuid[])
  returns jsonb language plpgsql

function root_run(p_run uuid)
  returns uuid language sql stable

function search_condition(p_scope uuid, p_phrases text[], p_excluded text[])
  returns tsquery language plpgsql stable

function search_knowledge(p_workspace uuid, p_words text, p_prefixes text[], p_phrases text[], p_excluded text[], p_project uuid, p_kinds text[], p_limit integer)
  returns TABLE(entity_type text, entity_id uuid, project_id uuid, title text, score real, path text, kind text, version integer, size bigint, data bytea, body text, words text[]) language plpgsql stable

function search_messages(p_workspace uuid, p_words text, p_prefixes text[], p_phrases text[], p_excluded text[], p_thread uuid, p_limit integer)
  returns TABLE(message_id uuid, thread_id uuid, title text, role text, seq integer, created_at timestamp with time zone, score real, body text, words text[]) language plpgsql stable

function search_terms(p_workspace uuid, p_words text[], p_prefixes text[])
  returns TABLE(term tsquery, forms text[], texts integer, weight double precision) language plpgsql stable

function similar_words(p_workspace uuid, p_word text)
  returns TABLE(word text, likeness real) language plpgsql stable

function steer_queued(p_run uuid, p_principal json, OUT outcome text, OUT steered uuid, OUT owner uuid)
  returns record language plpgsql

function stop_thread(p_thread uuid, p_reason text, p_principal json, OUT asked boolean, OUT owner uuid, OUT session text)
  returns record language plpgsql

function structure_patch(p_project uuid, p_patch jsonb, p_author json)
  returns jsonb language plpgsql

function summarized(p_output json, p_summary text, p_lines integer)
  returns json language plpgsql immutable parallel safe

function take_facts(p_thread uuid, p_attempt integer)
  returns TABLE(workspace_id uuid, stop boolean, pinged_at timestamp with time zone, title_wanted boolean, state_edits json, id uuid, ordinal integer, model text, role text, limits json, queued_at timestamp with time zone, cancel_reason text, message_id uuid, content json, pause boolean, rewind_to integer, steers json, decisions json, principal json, family json, is_child boolean) language plpgsql

function title_query(p_words jsonb)
  returns tsquery language sql immutable

function title_words(p_title text)
  returns tsvector language sql stable

function unpublish_content(p_workspace uuid, p_type text, p_slug text)
  returns boolean language plpgsql

function update_file_entity(p_file files, p_kind text, p_is boolean, p_project uuid, p_author json)
  returns jsonb language plpgsql

function wake_plan(p_plan uuid)
  returns uuid language sql

function wire_time(p_time timestamp with time zone)
  returns text language sql stable

function workspace_lexeme(p_workspace uuid)
  returns text language sql immutable

function write_file(p_workspace uuid, p_file uuid, p_path text, p_folded text, p_kind text, p_base integer, p_op text, p_revive uuid, p_hash bytea, p_size bigint, p_chunks bytea[], p_is_text boolean, p_author json, p_quota bigint, p_held bytea, OUT outcome text, OUT obstacle text, OUT file files, OUT seq bigint, OUT also jsonb)
  returns record language plpgsql
