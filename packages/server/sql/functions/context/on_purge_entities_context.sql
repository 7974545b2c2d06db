-- Deletes the texts that tell about purged entities. The inspector says that they are gone. See purge_entities.
create or replace function on_purge_entities_context(p_ids uuid[]) returns void language plpgsql as $$
begin
  delete from context_texts where entity_id = any (p_ids);
end $$;
