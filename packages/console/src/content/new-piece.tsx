// Starts what a person writes: a new piece, whose title names its file and whose page has the form; and the rules for the team.

import { useNavigate } from '@tanstack/react-router';
import { BookText, PenLine } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { ApiError } from '@continuo/client';
import { client } from '../data/client.ts';
import { useAction } from '../data/use-action.ts';
import { useOpenFile } from '../files/link-to-file.tsx';
import { Labelled } from '../settings/labelled.tsx';
import { FIELD } from '../settings/section.tsx';
import { Button } from '../ui/button.tsx';
import { contentChanged, useContentTypes } from './queries.ts';

export function NewPiece() {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return <Form close={() => setOpen(false)} />;
  return (
    <div className="mt-3 flex flex-wrap gap-2">
      <Button onClick={() => setOpen(true)}>
        <PenLine className="size-4" aria-hidden="true" />
        Write something yourself
      </Button>
      <Rules />
    </div>
  );
}

const RULES = '/content/STYLE.md';
const FIRST_RULES = `# Voice and rules

The team reads this page before it writes.

- Who reads us:
- How we sound:
- Words that we use, and words that we avoid:
`;

function Rules() {
  const open = useOpenFile();
  const { busy, problem, act } = useAction(async () => {});
  const show = async () => {
    await client.files.write(RULES, FIRST_RULES, { base: null }).catch((error: unknown) => {
      if (!isTaken(error)) throw error;
    });
    open(RULES);
  };
  return (
    <>
      <Button disabled={busy} onClick={() => void act(show)}>
        <BookText className="size-4" aria-hidden="true" />
        Voice and rules
      </Button>
      {problem !== null && (
        <p role="alert" className="w-full text-sm text-bad wrap-anywhere">
          {problem}
        </p>
      )}
    </>
  );
}

function isTaken(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'version_conflict';
}

function Form({ close }: { readonly close: () => void }) {
  const [title, setTitle] = useState('');
  const [type, setType] = useState('articles');
  const types = useContentTypes().data ?? [];
  const { busy, problem, act } = useAction(contentChanged);
  const navigate = useNavigate();
  const create = (event: FormEvent) => {
    event.preventDefault();
    if (busy || title.trim() === '') return;
    void act(async () => {
      const slug = await createPiece(type, title.trim());
      await navigate({ to: '/content/$type/$slug', params: { type, slug } });
    });
  };
  return (
    <form
      aria-label="Write something yourself"
      onSubmit={create}
      className="mt-3 grid gap-3 rounded-xl border bg-raised p-4 text-sm"
    >
      <div className="grid gap-3 sm:grid-cols-[1fr_12rem]">
        <Labelled label="Title">
          {(id) => (
            <input
              id={id}
              autoFocus
              required
              dir="auto"
              maxLength={200}
              value={title}
              onChange={(event) => setTitle(event.target.value)}
              className={FIELD}
            />
          )}
        </Labelled>
        <Labelled label="Where">
          {(id) => (
            <select id={id} value={type} onChange={(event) => setType(event.target.value)} className={FIELD}>
              {types.map((each) => (
                <option key={each.name} value={each.name}>
                  {each.title}
                </option>
              ))}
            </select>
          )}
        </Labelled>
      </div>
      <div className="flex gap-2">
        <Button kind="primary" type="submit" disabled={busy || title.trim() === ''}>
          Begin
        </Button>
        <Button onClick={close}>Cancel</Button>
      </div>
      {problem !== null && (
        <p role="alert" className="text-bad wrap-anywhere">
          {problem}
        </p>
      )}
    </form>
  );
}

/** How many names are tried, if there are pieces with the same title. */
const TRIES = 20;

async function createPiece(type: string, title: string): Promise<string> {
  const name = slugOf(title);
  for (let at = 1; ; at += 1) {
    const slug = at === 1 ? name : `${name}-${at}`;
    try {
      // JSON is valid YAML, and needs no quoting rules for the title.
      const text = `---\ntitle: ${JSON.stringify(title)}\n---\n\n\n`;
      await client.files.write(`/content/${type}/${slug}.md`, text, { base: null });
      return slug;
    } catch (error) {
      if (!isTaken(error) || at === TRIES) throw error;
    }
  }
}

/** Lower-case Latin letters, digits and hyphens, without accents. */
function slugOf(title: string): string {
  const words =
    title
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[a-z\d]+/g) ?? [];
  return words.join('-').slice(0, 80).replace(/-$/, '') || 'piece';
}
