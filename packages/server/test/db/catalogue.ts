// Prints what a database holds: every table with its columns, constraints, indexes and triggers, every view with its
// columns, every function's signature. Reads the catalogue itself, because the embedded Postgres comes without pg_dump.

import type pg from 'pg';

const HEADER = `-- What a migrated database holds, printed from its catalogue. This file is for reading: to change the schema, change
-- migrations/ or functions/, then run \`npm run generate\`.
`;

export async function printCatalogue(client: Pick<pg.ClientBase, 'query'>): Promise<string> {
  const parts: string[] = [];
  for (const query of [SEQUENCES, TABLES, VIEWS, FUNCTIONS]) {
    const { rows } = await client.query<{ text: string }>(query);
    parts.push(...rows.map(({ text }) => text));
  }
  return `${HEADER}\n${parts.join('\n\n')}\n`;
}

const OURS = 'current_schema()::regnamespace';

const SEQUENCES = `
  select format('sequence %s as %s%s', c.relname, format_type(s.seqtypid, null), case when s.seqcycle then ' cycle' end) as text
  from pg_class c join pg_sequence s on s.seqrelid = c.oid
  where c.relnamespace = ${OURS} order by c.relname collate "C"`;

const COLUMNS = `
  select '  ' || concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod),
      (select 'collate ' || quote_ident(l.collname) from pg_collation l join pg_type y on y.oid = a.atttypid
        where l.oid = a.attcollation and a.attcollation <> y.typcollation),
      case when a.attnotnull then 'not null' end,
      (select 'default ' || pg_get_expr(d.adbin, d.adrelid) from pg_attrdef d
        where d.adrelid = a.attrelid and d.adnum = a.attnum)) as line, a.attnum as place
  from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped`;

// A primary key comes first, then what is unique, then checks, then references. "not null" stands with the columns.
const CONSTRAINTS = `
  select '  constraint ' || k.conname || ' ' || pg_get_constraintdef(k.oid) as line,
    1000 + row_number() over (order by array_position('{p,u,c,f}'::text[], k.contype::text), k.conname collate "C") as place
  from pg_constraint k where k.conrelid = c.oid and k.contype <> 'n'`;

const BESIDE = `
  select pg_get_indexdef(i.indexrelid) as line, 1 as kind from pg_index i
    where i.indrelid = c.oid and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u'))
  union all
  select pg_get_triggerdef(t.oid), 2 from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal`;

const TABLES = `
  select format(E'table %s (\\n%s\\n)%s%s', c.relname,
      (select string_agg(b.line, E',\\n' order by b.place) from (${COLUMNS} union all ${CONSTRAINTS}) b),
      ' with (' || array_to_string(c.reloptions, ', ') || ')',
      (select string_agg(E'\\n' || b.line, '' order by b.kind, b.line collate "C") from (${BESIDE}) b)) as text
  from pg_class c where c.relnamespace = ${OURS} and c.relkind in ('r', 'p') order by c.relname collate "C"`;

const VIEWS = `
  select format(E'view %s (\\n%s\\n)', c.relname,
      (select string_agg(b.line, E',\\n' order by b.place) from (${COLUMNS}) b)) as text
  from pg_class c where c.relnamespace = ${OURS} and c.relkind in ('v', 'm') order by c.relname collate "C"`;

const FUNCTIONS = `
  select format(E'function %s(%s)\\n  returns %s language %s%s%s', p.proname, pg_get_function_arguments(p.oid),
      pg_get_function_result(p.oid), l.lanname,
      case p.provolatile when 'i' then ' immutable' when 's' then ' stable' end,
      case p.proparallel when 's' then ' parallel safe' end) as text
  from pg_proc p join pg_language l on l.oid = p.prolang
  where p.pronamespace = ${OURS} and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  order by p.proname collate "C"`;
