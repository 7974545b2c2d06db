// How many of its pages a statement touches, as Postgres itself counts them.

import pg from 'pg';

interface Plan {
  readonly 'Node Type': string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly 'Actual Rows'?: number;
  readonly 'Subplan Name'?: string;
  readonly Plans?: readonly Plan[];
}

export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A statement with its values bound, planned for them. */
export async function buffersOf(
  client: pg.Client,
  text: string,
  values: readonly unknown[],
): Promise<number> {
  return read(await client.query(`explain (analyze, buffers, format json) ${text}`, [...values]));
}

/** A statement that the connection has prepared, with the plan that it has come to use. */
export async function buffersOfPrepared(client: pg.Client, { name, values }: Statement): Promise<number> {
  const literals = values.map((value) => pg.escapeLiteral(String(value))).join(', ');
  return read(await client.query(`explain (analyze, buffers, format json) execute ${name}(${literals})`));
}

type Explained = [{ readonly Plan: Plan }];

/** The server's own connections leave JSON as text. */
function read({ rows }: pg.QueryResult<{ 'QUERY PLAN': Explained | string }>): number {
  const explained = rows[0]!['QUERY PLAN'];
  const [{ Plan: plan }] = typeof explained === 'string' ? (JSON.parse(explained) as Explained) : explained;
  return pages(plan);
}

/** A node counts for what is below it, but not for a statement in WITH that nobody reads from. */
function pages(plan: Plan): number {
  const written = (plan.Plans ?? []).filter(
    (below) => below['Node Type'] === 'ModifyTable' && below['Subplan Name'] !== undefined,
  );
  return (
    plan['Shared Hit Blocks'] +
    plan['Shared Read Blocks'] +
    written.reduce((sum, below) => sum + pages(below), 0)
  );
}
