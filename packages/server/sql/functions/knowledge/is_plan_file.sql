-- Whether a file is a plan: a text /plans/<name>.plan, there or in a project, or another Markdown file whose front matter has the key
-- `plan`. Documents are no plans: a file is one entity.
create or replace function is_plan_file(p_file files) returns boolean language plpgsql stable as $$
begin
  if p_file.removed_at is not null or not p_file.is_text then
    return false;
  end if;
  if p_file.kind = 'plan' then
    return true;
  end if;
  return p_file.folded like '%.md' and not exists (select from document_places d where d.id = p_file.id)
    and (document_head(p_file)).is_plan;
end $$;
