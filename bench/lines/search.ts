// Search in a large workspace.

import { randomUUID } from 'node:crypto';
import { indexWords, searchKnowledge, type Pool } from '@continuo/server/internals';
import { Desk, WORKSPACE } from '../desk.ts';
import { digits, quantile } from '../measure/numbers.ts';
import { judged, type Line } from './line.ts';

const TEXT_CHARACTERS = 2000;
const WORDS_KNOWN = 40_000;
const QUESTION_WORDS = { fewest: 3, most: 12 };
const MOST_MS = 50;
const PER_STATEMENT = 1000;

export const search: Line = {
  key: 'search',
  measure: async (stage) => {
    const desk = await Desk.open(stage, 'search');
    try {
      const count = stage.many(50_000, 2000);
      const corpus = new Corpus();
      for (let done = 0; done < count; done += PER_STATEMENT) await fill(desk.pool, corpus, done);
      await indexWords(desk.pool, WORKSPACE);
      await desk.pool.query('vacuum (analyze)');
      const times: number[] = [];
      const questions = stage.many(300, 50);
      for (let asked = -questions; asked < questions * stage.options.rounds; asked += 1) {
        const query = corpus.question();
        const began = performance.now();
        const found = await searchKnowledge(desk.pool, WORKSPACE, { query, limit: 10 });
        const ms = performance.now() - began;
        if (found.length === 0) throw new Error(`nothing was found for: ${query}`);
        if (asked >= 0) times.push(ms);
      }
      const p95 = quantile(times, 0.95);
      return [
        {
          key: 'search',
          line: `search among ${count.toLocaleString('en')} texts of ${TEXT_CHARACTERS / 1000} kB, questions of ${QUESTION_WORDS.fewest} to ${QUESTION_WORDS.most} words, warm, p95`,
          target: `< ${MOST_MS} ms`,
          measured: `${digits(p95, 'ms')} (p50 ${digits(quantile(times, 0.5), 'ms')})`,
          verdict: judged(p95 < MOST_MS),
        },
      ];
    } finally {
      await desk.close();
    }
  },
};

const FILL = `
  with new as (
    select u.id, u.path, convert_to(u.text, 'UTF8') as data from unnest($2::uuid[], $3::text[], $4::text[]) u (id, path, text)
  ), stored as (
    insert into chunks (hash, data, kept) select sha256(data), data, true from new
  ), made as (
    insert into files (id, workspace_id, path, folded, kind, version, hash, size, is_text)
    select id, $1, path, path, 'file', 1, sha256(data), length(data), true from new
  ), versions as (
    insert into file_versions (workspace_id, file_id, version, op, path, hash, size, chunks, is_text, author)
    select $1, id, 1, 'write', path, sha256(data), length(data), array[sha256(data)], true, '{"kind":"person"}' from new
  )
  insert into unindexed (workspace_id, object_id, version) select $1, id, 1 from new`;

async function fill(pool: Pool, corpus: Corpus, first: number): Promise<void> {
  const all = Array.from({ length: PER_STATEMENT }, (_, index) => `/texts/${first + index}.md`);
  await pool.query(FILL, [WORKSPACE, all.map(() => randomUUID()), all, all.map(() => corpus.text())]);
}

/**
 * Texts whose words are as frequent as those of a natural language: the n-th of them has a share of 1/n (Zipf). Seeded, so that every
 * run has the same.
 */
class Corpus {
  readonly #words: readonly string[];
  /** The sums of the shares, up to each word. */
  readonly #sums: Float64Array;
  #seed = 42;

  constructor() {
    const words = new Set<string>();
    while (words.size < WORDS_KNOWN) {
      const syllables = words.size < 100 ? 2 : 2 + Math.floor(this.#random() * 3);
      words.add(Array.from({ length: syllables }, () => this.#syllable()).join(''));
    }
    this.#words = [...words];
    this.#sums = new Float64Array(WORDS_KNOWN);
    let sum = 0;
    for (let rank = 0; rank < WORDS_KNOWN; rank += 1) this.#sums[rank] = sum += 1 / (rank + 2.7);
  }

  text(): string {
    let text = '';
    while (text.length < TEXT_CHARACTERS) text += `${this.#word()} `;
    return text;
  }

  question(): string {
    const { fewest, most } = QUESTION_WORDS;
    const length = fewest + Math.floor(this.#random() * (most - fewest + 1));
    return Array.from({ length }, () => this.#word()).join(' ');
  }

  #word(): string {
    const wanted = this.#random() * this.#sums.at(-1)!;
    let [low, high] = [0, WORDS_KNOWN - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#sums[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    return this.#words[low]!;
  }

  #syllable(): string {
    return `${'bdfgklmnprstvz'[Math.floor(this.#random() * 14)]!}${'aeiou'[Math.floor(this.#random() * 5)]!}`;
  }

  /** Mulberry32. */
  #random(): number {
    this.#seed = (this.#seed + 0x6d2b79f5) | 0;
    let value = Math.imul(this.#seed ^ (this.#seed >>> 15), 1 | this.#seed);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  }
}
