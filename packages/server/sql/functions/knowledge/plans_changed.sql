-- Makes the plans equal to the files that have just changed, like documents_changed, which has to be called first: a document is no
-- plan. A plan below the folder of a project is in that project. Files of a removed project are left out: the project is restored
-- with its plans as they were. Returns the changes for the feed. The caller has locked the entities.
create or replace function plans_changed(p_workspace uuid, p_files uuid[], p_author json) returns jsonb language plpgsql
set plan_cache_mode to force_generic_plan as $$
begin
  return (
    select coalesce(jsonb_agg(c.change order by f.folded) filter (where c.change is not null), '[]')
    from files f
    -- By their ids, whatever the planner knows about the tables.
    left join lateral (select * from entities e where e.id = f.id offset 0) e on true
    left join projects p on p.workspace_id = p_workspace and p.folded = array_to_string((string_to_array(f.folded, '/'))[1:3], '/'),
      lateral (select is_plan_file(f) as is_plan offset 0) i,
      lateral (select case when i.is_plan or e.kind = 'plan' then update_file_entity(f, 'plan', i.is_plan, p.id, p_author) end as change offset 0) c
    where f.id = any (p_files) and f.workspace_id = p_workspace and not is_removed(e.project_id) and not is_removed(p.id));
end $$;
