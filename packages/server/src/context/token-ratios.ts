// How many tokens a provider counts for one that the server estimates. The ratio is learned for each model of a workspace from the
// usage that its provider reports, because languages and tokenizers differ.
//
// 1. A ratio that requests use is stored first, so every pod uses it, even after a restart. A request's manifest has the ratio that it used.
// 2. It changes only by more than a tenth, so that what depends on it, such as the beginning of a request, rarely changes.
// 3. The offline models report estimates of their own: their ratio is 1.

import { defineTopic, type Bus } from '../bus/bus.ts';
import type { Pool } from '../db/pool.ts';

/** The ratio stays if the learned one differs by less than this share. */
const LEAST_CHANGE = 0.1;
/** A report outside these bounds is ignored: the provider counts something other than the input. */
const LEAST = 0.4;
const MOST = 8;
/** Estimated tokens of a request that is too small to learn from. */
const SMALL = 200;
/** How much of an earlier request's weight is left after a later one. */
const KEPT = 0.8;
/** How long a ratio is used without a look at the database, in case an announcement was lost. */
const TTL_MS = 60_000;

const RATIO_CHANGED = defineTopic<{ readonly workspaceId: string; readonly model: string }>(
  'context.ratio_changed',
  {
    encode: ({ workspaceId, model }) => `${workspaceId} ${model}`,
    decode: (text) => {
      const space = text.indexOf(' ');
      return { workspaceId: text.slice(0, space), model: text.slice(space + 1) };
    },
  },
);

interface Learned {
  ratio: number;
  estimated: number;
  reported: number;
}

export interface ReportedRequest {
  readonly workspaceId: string;
  readonly model: string;
  /** Tokens by the server's own estimate. */
  readonly estimated: number;
  /** Tokens of the input as the provider counted them; 0 if it reports none. */
  readonly reported: number;
}

interface TokenRatiosOptions {
  readonly pool: Pool;
  readonly bus?: Bus | null;
  readonly now?: () => number;
  /** A ratio could not be stored; it is learned again from the next request. */
  readonly onError?: (error: Error) => void;
}

export class TokenRatios {
  readonly #pool: Pool;
  readonly #bus: Bus | null;
  readonly #now: () => number;
  readonly #onError: (error: Error) => void;
  readonly #known = new Map<string, { readonly readAt: number; readonly learned: Promise<Learned> }>();

  constructor({ pool, bus = null, now = Date.now, onError = () => undefined }: TokenRatiosOptions) {
    this.#pool = pool;
    this.#bus = bus;
    this.#now = now;
    this.#onError = onError;
    bus?.subscribe(RATIO_CHANGED, {
      message: ({ workspaceId, model }) => void this.#known.delete(keyOf(workspaceId, model)),
      rescan: () => this.#known.clear(),
    });
  }

  /** 1 until it has been learned. */
  async of(workspaceId: string, model: string): Promise<number> {
    return isOffline(model) ? 1 : (await this.#read(workspaceId, model)).ratio;
  }

  /** Resolves when a changed ratio is stored. Never rejects. */
  async learn(request: ReportedRequest): Promise<void> {
    const { model, estimated, reported } = request;
    const isBelieved = reported >= estimated * LEAST && reported <= estimated * MOST;
    if (isOffline(model) || estimated < SMALL || !isBelieved) return;
    await this.#learn(request).catch(this.#onError);
  }

  async #learn({ workspaceId, model, estimated, reported }: ReportedRequest): Promise<void> {
    const learned = await this.#read(workspaceId, model);
    learned.estimated = learned.estimated * KEPT + estimated;
    learned.reported = learned.reported * KEPT + reported;
    const ratio = rounded(learned.reported / learned.estimated);
    if (Math.abs(ratio - learned.ratio) < learned.ratio * LEAST_CHANGE) return;
    await this.#pool.query({
      name: 'store_token_ratio',
      text: `insert into token_ratios (workspace_id, model, ratio, estimated, reported) values ($1, $2, $3, $4, $5)
        on conflict (workspace_id, model) do update
        set ratio = excluded.ratio, estimated = excluded.estimated, reported = excluded.reported, changed_at = now()`,
      values: [workspaceId, model, ratio, learned.estimated, learned.reported],
    });
    learned.ratio = ratio;
    await this.#bus?.tellOthers(RATIO_CHANGED, { workspaceId, model });
  }

  #read(workspaceId: string, model: string): Promise<Learned> {
    const key = keyOf(workspaceId, model);
    const known = this.#known.get(key);
    if (known && this.#now() - known.readAt < TTL_MS) return known.learned;
    const learned = this.#load(workspaceId, model);
    this.#known.set(key, { readAt: this.#now(), learned });
    learned.catch(() => this.#known.delete(key));
    return learned;
  }

  async #load(workspaceId: string, model: string): Promise<Learned> {
    const { rows } = await this.#pool.query<Learned>({
      name: 'read_token_ratio',
      text: 'select ratio, estimated, reported from token_ratios where workspace_id = $1 and model = $2',
      values: [workspaceId, model],
    });
    const row = rows[0];
    return row ? { ...row, ratio: rounded(row.ratio) } : { ratio: 1, estimated: 0, reported: 0 };
  }
}

/** Offline models report estimates of their own, without tools. */
export function isOffline(model: string): boolean {
  return model.startsWith('offline/');
}

function rounded(ratio: number): number {
  return Math.round(ratio * 100) / 100;
}

function keyOf(workspaceId: string, model: string): string {
  return `${workspaceId} ${model}`;
}
