-- A pod's heartbeat: renews its lease, removes dead pods, frees the threads of removed pods, and says what there is to do.
-- `alive` is false if the pod itself was removed; `due` says that unowned threads want to be claimed, `next_wake_ms` when the
-- next one will; `woken` are the pod's own threads with new facts.
-- A pod is dead if its advisory lock is free, or if its heartbeat is older than its lease.
-- Invariant: a pod that was late itself, or was removed, judges no other pod by its heartbeat. After a silence of the database
-- the first pod to be heard again would otherwise remove all others.
create or replace function pod_tick(
  p_pod uuid, p_lock_class integer,
  out alive boolean, out others integer, out removed integer, out freed integer,
  out due boolean, out next_wake_ms double precision, out owned integer, out woken uuid[]
) language plpgsql as $$
declare
  began timestamptz := clock_timestamp();
  in_time boolean;
begin
  select heartbeat_at >= began - lease into in_time from pods where id = p_pod;
  update pods set heartbeat_at = clock_timestamp() where id = p_pod;
  alive := found;

  -- A row that is locked is just being renewed, or removed by another: two late pods must not wait for each other.
  delete from pods where id in (
    select p.id from pods p
    where p.id <> p_pod and (
      (in_time and p.heartbeat_at < began - p.lease)
      or not exists (
        select from pg_locks l
        where l.locktype = 'advisory' and l.classid = p_lock_class::oid and l.objid = p.number::oid
          and l.objsubid = 2 and l.granted
          and l.database = (select oid from pg_database where datname = current_database())))
    for update skip locked);
  get diagnostics removed = row_count;

  update threads set owner = null, wake_at = least(wake_at, clock_timestamp())
    where id in (
      select t.id from threads t
      where t.owner is not null and not exists (select from pods p where p.id = t.owner)
      for no key update skip locked);
  get diagnostics freed = row_count;

  select count(*) into others from pods where id <> p_pod;
  select min(wake_at) <= clock_timestamp(), extract(epoch from min(wake_at) - clock_timestamp()) * 1000
    into due, next_wake_ms from threads where owner is null and wake_at is not null;
  due := coalesce(due, false);
  select count(*), array_agg(id) filter (where wake_at <= clock_timestamp())
    into owned, woken from threads where owner = p_pod;
end $$;
