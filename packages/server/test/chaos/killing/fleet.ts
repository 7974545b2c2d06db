// The pods of a test, each a process of its own, and who held which thread when.

import { until } from '@continuo/testkit';
import { startPod, type PodSettings, type TestDatabase, type TestPod } from '@continuo/testkit/fixtures';

export class Fleet {
  readonly #settings: PodSettings;
  readonly #starting = new Set<Promise<TestPod>>();
  readonly #started: TestPod[] = [];
  #failure: Error | null = null;

  constructor(settings: PodSettings) {
    this.#settings = { armable: true, ...settings };
  }

  /** The pods that were started and have not ended. */
  get live(): readonly TestPod[] {
    return this.#started.filter(isLive);
  }

  get urls(): readonly string[] {
    return this.live.map((pod) => pod.url);
  }

  get codes(): readonly (number | null)[] {
    return this.#started.map((pod) => pod.process.exitCode);
  }

  /** Every pod that there was, for a failing test to show what they logged. */
  get logs(): string {
    return this.#started.map((pod) => `${pod.process.pid}: ${pod.output().slice(-2000)}`).join('\n');
  }

  async start(): Promise<TestPod> {
    const starting = startPod(this.#settings);
    this.#starting.add(starting);
    try {
      const pod = await starting;
      this.#started.push(pod);
      return pod;
    } finally {
      this.#starting.delete(starting);
    }
  }

  /** Starts pods in the background until there are so many, including those that are still starting. */
  fill(count: number): void {
    for (let missing = count - this.live.length - this.#starting.size; missing > 0; missing -= 1) {
      this.start().catch((error: Error) => (this.#failure = error));
    }
  }

  async atLeast(count: number): Promise<void> {
    await until(`${count} pods are up`, () => {
      if (this.#failure) throw this.#failure;
      return this.live.length >= count;
    });
  }

  /** Ends every pod, also those that are just starting. */
  async end(): Promise<void> {
    await Promise.allSettled(this.#starting);
    await Promise.all(this.#started.map((pod) => pod.end()));
  }
}

function isLive(pod: TestPod): boolean {
  return pod.process.exitCode === null && pod.process.signalCode === null;
}

/** A pod's hold on a thread, as the database saw it. */
export interface RecordedHold {
  readonly thread_id: string;
  readonly attempt: number;
  readonly pod: string;
  readonly pid: number;
  readonly at: Date;
  /** Since when the pod was registered. */
  readonly registered: Date;
}

/** From here on the database remembers who held which thread. */
export async function recordHolds({ pool }: TestDatabase): Promise<void> {
  await pool.query(`
    create table pod_names (id uuid primary key, name text not null, at timestamptz default clock_timestamp());
    create table holds (thread_id uuid, attempt integer, pod uuid, at timestamptz default clock_timestamp());
    create function record_pod() returns trigger language plpgsql as $$
    begin insert into pod_names values (new.id, new.name); return null; end $$;
    create function record_hold() returns trigger language plpgsql as $$
    begin insert into holds values (new.id, new.attempt, new.owner); return null; end $$;
    create trigger record after insert on pods for each row execute function record_pod();
    create trigger record after update of attempt on threads for each row
      when (new.owner is not null and new.attempt <> old.attempt) execute function record_hold()`);
}

export async function readHolds({ pool }: TestDatabase): Promise<RecordedHold[]> {
  const { rows } = await pool.query<RecordedHold>(`
    select h.*, split_part(n.name, ':', 2)::int as pid, n.at as registered from holds h join pod_names n on n.id = h.pod order by h.at`);
  return rows;
}

/** The ids under which the process is registered now. */
export async function registeredAs({ pool }: TestDatabase, pod: TestPod): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    "select id from pods where split_part(name, ':', 2)::int = $1",
    [pod.process.pid],
  );
  return rows.map((row) => row.id);
}

/** How many threads each process holds now. */
export async function holdCounts({ pool }: TestDatabase): Promise<ReadonlyMap<number, number>> {
  const { rows } = await pool.query<{ pid: number; count: number }>(`
    select split_part(p.name, ':', 2)::int as pid, count(*)::int from threads t join pods p on p.id = t.owner group by 1`);
  return new Map(rows.map((row) => [row.pid, row.count]));
}
