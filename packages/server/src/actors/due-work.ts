// Work that becomes due: rows with a time, which any pod may do. It sleeps until the earliest time, and looks again when it is
// woken because rows changed. Every pod does; the rows are claimed with SKIP LOCKED.

/** If a row is due but another pod has it locked, this pod looks again after this time: the other pod may die. */
const LOCKED_MS = 1000;
/** The longest sleep. A message on the bus may be lost, and the clocks of the pod and the database may differ. */
const LONGEST_MS = 30_000;
const FAILED_MS = 5000;

interface DueWorkOptions {
  /** Does what is due now; resolves when nothing more is due that this pod can claim. */
  readonly doDue: () => Promise<void>;
  /** How long until the earliest row is due, in milliseconds; null if there is none. */
  readonly untilNext: () => Promise<number | null>;
  readonly onError: (error: Error) => void;
}

export class DueWork {
  readonly #options: DueWorkOptions;
  #state: 'stopped' | 'sleeping' | 'working' = 'stopped';
  #again = false;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(options: DueWorkOptions) {
    this.#options = options;
  }

  start(): void {
    this.#state = 'sleeping';
    this.wake();
  }

  /** Looks at the rows now: some changed. */
  wake(): void {
    if (this.#state === 'working') this.#again = true;
    if (this.#state !== 'sleeping') return;
    clearTimeout(this.#timer);
    this.#state = 'working';
    this.#turn = this.#work();
  }

  /** Resolves when work in progress has ended. */
  async stop(): Promise<void> {
    this.#state = 'stopped';
    clearTimeout(this.#timer);
    await this.#turn;
  }

  async #work(): Promise<void> {
    let sleepMs = FAILED_MS;
    try {
      do {
        this.#again = false;
        await this.#options.doDue();
        const next = await this.#options.untilNext();
        sleepMs = next === null ? LONGEST_MS : Math.min(next <= 0 ? LOCKED_MS : next, LONGEST_MS);
      } while (this.#again && this.#state === 'working');
    } catch (error) {
      this.#options.onError(error as Error);
    }
    if (this.#state === 'stopped') return;
    this.#state = 'sleeping';
    this.#timer = setTimeout(() => this.wake(), Math.ceil(sleepMs)).unref();
  }
}
