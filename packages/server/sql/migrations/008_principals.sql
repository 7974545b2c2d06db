-- Who asked: rows store the principal on whose behalf something was said, requested or decided, as {kind: "local"} or
-- {kind: "key", name}. Never its secret, and not what it may do, which can change.

-- The sender of a person's message. Null for a model's message, and for messages from before this migration.
alter table messages add principal json;

-- On whose behalf the run acts: the sender of its message, or the principal that asked for the retry. Runs from before this
-- migration count as local.
alter table runs add principal json not null default '{"kind":"local"}', add cancel_requested_by json, add pause_requested_by json;
alter table runs alter principal drop default;

-- The principal of the last stop request. It stays when the stop is done.
alter table threads add stop_requested_by json;

-- Null if nobody decided: the approval expired, or its run was canceled.
alter table approvals add decided_by json;
alter table held_removals add decided_by json;
