-- The position after a line `---`, which may have spaces at its end, if such a line begins at p_at; otherwise null.
create or replace function end_of_fence(p_data bytea, p_at integer) returns integer language plpgsql immutable as $$
declare
  v_at integer := p_at + 3;
  v_byte integer;
begin
  if substring(p_data from p_at for 3) <> '\x2d2d2d' then
    return null;
  end if;
  while v_at <= length(p_data) loop
    v_byte := get_byte(p_data, v_at - 1);
    if v_byte = 10 then
      return v_at + 1;
    elsif v_byte not in (9, 13, 32) then
      return null;
    end if;
    v_at := v_at + 1;
  end loop;
  -- The last line of the file. If the data was cut here, it is no fence.
  return case when length(p_data) < 16384 then v_at end;
end $$;
