// Buses for tests that are not about the bus.

import { PostgresBus } from '../../src/bus/postgres.ts';
import type { Queryable } from '../../src/db/pool.ts';

/** The bus of a pod; one that is alone sends nothing. */
export function busOn(pool: Queryable, { alone }: { readonly alone: boolean }): PostgresBus {
  return new PostgresBus({
    pool,
    alone: () => alone,
    onError: (error) => {
      throw error;
    },
  });
}
