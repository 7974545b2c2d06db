-- Which of these files are documents now (`project_id`; null: none), and which were (`old_project_id`). A document is a live Markdown
-- file below <folder of a project>/docs/. Files of a removed project are left out: the project is restored with its documents as they were.
create or replace function document_targets(p_workspace uuid, p_files uuid[])
returns table (
  id uuid, project_id uuid, old_project_id uuid, folded text, old_folded text, old_position integer, depth integer
) language sql stable as $$
  select f.id, p.id, d.project_id, f.folded, d.folded, d.position, cardinality(string_to_array(f.folded, '/'))
  from files f
  left join document_places d on d.id = f.id
  left join projects p on p.workspace_id = p_workspace and f.removed_at is null and f.folded like '%.md'
    and starts_with(f.folded, p.folded || '/docs/')
    and p.folded = array_to_string((string_to_array(f.folded, '/'))[1:3], '/')
  where f.id = any (p_files) and f.workspace_id = p_workspace and not is_removed(d.project_id) and not is_removed(p.id)
    and (d.id is not null or p.id is not null)
$$;
