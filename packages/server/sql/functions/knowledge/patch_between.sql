-- The JSON Patch (RFC 6902) from one entity to another: one operation for each member that differs.
create or replace function patch_between(p_old jsonb, p_new jsonb) returns jsonb language sql immutable as $$
  select coalesce(jsonb_agg(op), '[]') from (
    select case
        when n.key is null then jsonb_build_object('op', 'remove', 'path', '/' || o.key)
        when o.key is null then jsonb_build_object('op', 'add', 'path', '/' || n.key, 'value', n.value)
        else jsonb_build_object('op', 'replace', 'path', '/' || n.key, 'value', n.value) end as op
    from jsonb_each(p_old) o full join jsonb_each(p_new) n on o.key = n.key
    where o.value is distinct from n.value
    order by coalesce(o.key, n.key)
  ) ops
$$;
