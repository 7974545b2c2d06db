-- Where a document stands in its project's structure, as a JSON Pointer such as /root/2/children/0.
create or replace function document_pointer(p_id uuid) returns text language plpgsql stable as $$
declare
  v document_places;
  v_pointer text := '';
begin
  select * into v from document_places d where d.id = p_id;
  while v.parent_id <> v.project_id loop
    v_pointer := '/children/' || v.position || v_pointer;
    select * into v from document_places d where d.id = v.parent_id;
  end loop;
  return '/root/' || v.position || v_pointer;
end $$;
