// `npm run recall`: how often search finds the texts that answer a question, in a corpus of texts and questions. No model is
// asked and nobody judges: the corpus names the texts, and a text is among the first results or it is not.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createPool, parsePath, saveFile, searchKnowledge, type Pool } from '@continuo/server/internals';
import { createMigrated, startPostgres } from '../postgres.ts';

const OWN_CORPUS = new URL('./lighthouse.jsonl', import.meta.url);
const DEPTHS = [5, 10] as const;

interface Text {
  readonly id: string;
  readonly title: string | null;
  readonly text: string;
}

interface Question {
  readonly question: string;
  /** The ids of the texts that answer it. */
  readonly evidence: readonly string[];
}

/** Texts that are searched together, and the questions about them. */
interface Group {
  readonly texts: Text[];
  readonly questions: Question[];
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { misses: { type: 'boolean', default: false } },
});
const source = positionals[0] ?? OWN_CORPUS;
const groups = readCorpus(readFileSync(source, 'utf8'));
const postgres = await startPostgres();
try {
  const url = await createMigrated(postgres, 'recall');
  // A query that is lost with its connection says so itself.
  const pool = createPool({ connection: url, applicationName: 'recall', leaseSeconds: 30 }, () => undefined);
  try {
    const answered: { readonly question: Question; readonly found: readonly string[] }[] = [];
    for (const { texts, questions } of groups) {
      const ask = await fill(pool, texts);
      for (const question of questions) answered.push({ question, found: await ask(question.question) });
    }
    report(answered);
  } finally {
    await pool.end();
  }
} finally {
  await postgres.stop();
}

/** One JSON object to a line: `{"id", "text", "title"?, "group"?}` or `{"question", "evidence": [ids], "group"?}`. */
function readCorpus(content: string): readonly Group[] {
  const read = new Map<string, Group>();
  for (const [index, line] of content.split('\n').entries()) {
    if (line.trim() === '') continue;
    const { group = '', ...entry } = JSON.parse(line) as { group?: string } & Record<string, unknown>;
    const into = read.get(group) ?? { texts: [], questions: [] };
    read.set(group, into);
    const { id, text, title, question, evidence } = entry;
    if (typeof id === 'string' && typeof text === 'string') {
      into.texts.push({ id, text, title: typeof title === 'string' ? title : null });
    } else if (typeof question === 'string' && Array.isArray(evidence) && evidence.length > 0) {
      into.questions.push({ question, evidence: evidence.map(String) });
    } else throw new Error(`line ${index + 1} is neither a text nor a question: see docs/search.md`);
  }
  for (const { texts, questions } of read.values()) {
    const ids = new Set(texts.map(({ id }) => id));
    const unknown = questions.flatMap(({ evidence }) => evidence).find((id) => !ids.has(id));
    if (unknown !== undefined)
      throw new Error(`a question names ${unknown}, which is not a text of its group`);
  }
  return [...read.values()];
}

/** Writes the texts as files of a new workspace. Returns what searches there. */
async function fill(pool: Pool, texts: readonly Text[]): Promise<(question: string) => Promise<string[]>> {
  const workspaceId = randomUUID();
  await pool.query('insert into workspaces (id, name) values ($1, $2)', [workspaceId, workspaceId]);
  const ids = new Map<string, string>();
  for (const [index, { id, title, text }] of texts.entries()) {
    const parsed = parsePath(`/${index}.md`);
    if (!parsed.ok) throw new Error(parsed.problem);
    const saved = await saveFile(pool, pool, {
      workspaceId,
      author: { kind: 'person' },
      base: null,
      path: parsed.path,
      quotaBytes: 2 ** 40,
      bytes: Buffer.from(title === null ? text : `# ${title}\n\n${text}`),
      merge: false,
    });
    if (saved.kind !== 'changed') throw new Error(`${id} was ${saved.kind}`);
    ids.set(saved.file.id, id);
  }
  return async (query) => {
    const items = await searchKnowledge(pool, workspaceId, { query, limit: DEPTHS.at(-1)! });
    return items.map(({ entity_id }) => ids.get(entity_id)!);
  };
}

function report(
  answered: readonly { readonly question: Question; readonly found: readonly string[] }[],
): void {
  const texts = groups.reduce((sum, group) => sum + group.texts.length, 0);
  const lines = [`${texts} texts in ${groups.length} groups, ${answered.length} questions`];
  for (const depth of DEPTHS) {
    const shares = answered.map(({ question: { evidence }, found }) => {
      const first = found.slice(0, depth);
      return evidence.filter((id) => first.includes(id)).length / evidence.length;
    });
    const all = shares.filter((share) => share === 1).length / shares.length;
    const some = shares.reduce((sum, share) => sum + share, 0) / shares.length;
    lines.push(
      `first ${depth}: ${percent(all)} of the questions have all of their texts there; ${percent(some)} of a question’s texts are, on average`,
    );
  }
  if (values.misses) {
    for (const { question, found } of answered)
      if (!question.evidence.every((id) => found.includes(id)))
        lines.push(`missed: ${question.question} (${question.evidence.join(', ')})`);
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
