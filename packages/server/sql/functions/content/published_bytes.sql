-- What a published piece adds to the size of its workspace.
create or replace function published_bytes(p published) returns bigint language sql immutable as $$
  select octet_length(p.html)::bigint + octet_length(p.body) + octet_length(p.fields::text)
$$;
