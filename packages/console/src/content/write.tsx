// Writes a piece in a form: its fields and its text. The form changes the same draft as the editor of files, so what is typed
// survives another page and a reload, and changes by others are merged.

import { Save, TriangleAlert } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { setDraft, useDraft } from '../files/file-draft.ts';
import { LinkToFile } from '../files/link-to-file.tsx';
import { useHistory, useVersionText } from '../files/queries.ts';
import { useSave } from '../files/save.ts';
import { Labelled } from '../settings/labelled.tsx';
import { FIELD } from '../settings/section.tsx';
import { Button } from '../ui/button.tsx';
import { Failure, Loading } from '../ui/states.tsx';
import { readPiece, withBody, withField, type FieldValue } from './piece-text.ts';
import { inWords, useContentTypes, type ContentType, type StoredPiece } from './queries.ts';

type Kind = ContentType['fields'][string]['kind'];

/** Fields above the text; the others are behind “More”. */
const FIRST = ['title', 'description'];
/** Fields that are not shown: the file's name is the slug, and the file does not decide whether a piece is live. */
const HIDDEN = new Set(['slug', 'status']);
const WORDS: Readonly<Record<string, readonly [label: string, hint: string]>> = {
  description: ['Description', 'One or two sentences that say why to read it.'],
  canonical: ['Original address', 'If it appeared elsewhere first.'],
  image: ['Image', 'A file of yours, or an address.'],
  seo_title: ['Title in search results', ''],
  seo_description: ['Description in search results', ''],
};

interface WriteProps {
  readonly piece: StoredPiece;
  readonly saved: () => void;
}

export default function Write({ piece, saved }: WriteProps) {
  const { path, file_id: file, version } = piece;
  const draft = useDraft(file);
  const stored = useVersionText(path, file, version);
  const versions = useHistory(path).data?.pages[0]?.items ?? [];
  const { state, save } = useSave(path, file, versions);
  const fields = useContentTypes().data?.find(({ name }) => name === piece.type)?.fields;
  if (stored.error && !stored.data)
    return <Failure error={stored.error} retry={() => void stored.refetch()} />;
  if (!stored.data || !fields) return <Loading what="the text" />;
  const text = draft?.text ?? stored.data.text;
  const read = readPiece(text);
  const change = (next: string) => {
    const base = draft?.base ?? stored.data.version;
    setDraft(file, base === stored.data.version && next === stored.data.text ? null : { base, text: next });
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (draft && state.kind !== 'saving') save(draft, true);
    else if (!draft) saved();
  };
  const input = (name: string) => (
    <Field
      key={name}
      name={name}
      kind={fields[name]!.kind}
      required={fields[name]!.required}
      value={read!.fields[name] ?? ''}
      change={(value) => change(withField(text, name, value))}
    />
  );
  const more = Object.keys(fields).filter((name) => !FIRST.includes(name) && !HIDDEN.has(name));
  const whole = (
    <LinkToFile path={path} className="text-xs text-soft underline hover:text-ink">
      Open the whole file
    </LinkToFile>
  );
  if (!read)
    return (
      <div className="rounded-xl border bg-raised p-5 text-sm">
        <p className="mb-2 flex gap-2">
          <TriangleAlert className="mt-0.5 size-4 shrink-0 text-warn" aria-hidden="true" />
          The lines at the top of the file cannot be read. Correct them there first.
        </p>
        {whole}
      </div>
    );
  return (
    <form aria-label="Write" onSubmit={send} className="grid gap-4 rounded-xl border bg-raised p-5 text-sm">
      {FIRST.map(input)}
      <Labelled label="Text" hint="An empty line begins a paragraph, ## a heading, - a list.">
        {(id) => (
          <textarea
            id={id}
            rows={16}
            dir="auto"
            value={read.body}
            onChange={(event) => change(withBody(text, event.target.value))}
            className={`${FIELD} resize-y leading-relaxed`}
          />
        )}
      </Labelled>
      <details>
        <summary className="cursor-pointer font-medium">More</summary>
        <div className="mt-3 grid items-end gap-4 sm:grid-cols-2">{more.map(input)}</div>
      </details>
      <div className="flex flex-wrap items-center gap-3">
        <Button kind="primary" type="submit" disabled={state.kind === 'saving'}>
          <Save className="size-4" aria-hidden="true" />
          {draft ? 'Save' : 'Done'}
        </Button>
        {draft && <Button onClick={() => setDraft(file, null)}>Undo my changes</Button>}
        <span role="status" className="text-xs text-soft">
          {draft ? 'Not saved yet. Readers see it when it is published.' : ''}
        </span>
        <span className="ml-auto">{whole}</span>
      </div>
      {state.kind === 'failed' && (
        <p role="alert" className="text-bad wrap-anywhere">
          {state.problem}
        </p>
      )}
    </form>
  );
}

interface FieldProps {
  readonly name: string;
  readonly kind: Kind;
  readonly required: boolean;
  readonly value: FieldValue;
  readonly change: (value: FieldValue) => void;
}

function Field({ name, kind, required, value, change }: FieldProps) {
  const [label, hint] = WORDS[name] ?? [inWords(name), ''];
  const about = [hint, kind === 'list' || kind === 'reference' ? 'Separated by commas.' : '']
    .filter(Boolean)
    .join(' ');
  return (
    <Labelled label={label} {...(about !== '' && { hint: about })}>
      {(id) =>
        kind === 'list' || kind === 'reference' ? (
          <List id={id} kind={kind} value={value} change={change} />
        ) : kind === 'boolean' ? (
          <select
            id={id}
            value={String(value)}
            onChange={({ target }) => change(target.value === '' ? '' : target.value === 'true')}
            className={FIELD}
          >
            <option value="">Not set</option>
            <option value="true">Yes</option>
            <option value="false">No</option>
          </select>
        ) : name.endsWith('description') ? (
          <textarea
            id={id}
            rows={2}
            dir="auto"
            value={String(value)}
            onChange={({ target }) => change(target.value.replaceAll('\n', ' '))}
            className={FIELD}
          />
        ) : (
          <input
            id={id}
            type={inputOf(kind, String(value))}
            dir="auto"
            step="any"
            required={required}
            value={String(value)}
            onChange={({ target }) =>
              change(kind === 'number' && target.value !== '' ? Number(target.value) : target.value)
            }
            className={FIELD}
          />
        )
      }
    </Labelled>
  );
}

function inputOf(kind: Kind, value: string): string {
  if (kind === 'date') return /^(\d{4}-\d\d-\d\d)?$/.test(value) ? 'date' : 'text';
  return kind === 'number' || kind === 'url' ? kind : 'text';
}

interface ListProps {
  readonly id: string;
  readonly kind: Kind;
  readonly value: FieldValue;
  readonly change: (value: FieldValue) => void;
}

/** Keeps what is typed as it is: a comma at the end is not yet an item. */
function List({ id, kind, value, change }: ListProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const items = (text: string) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  const shown = [value].flat().join(', ');
  return (
    <input
      id={id}
      dir="auto"
      value={typed !== null && items(typed).join(', ') === shown ? typed : shown}
      onChange={({ target }) => {
        setTyped(target.value);
        const all = items(target.value);
        // A reference to one piece is written as its name alone.
        change(kind === 'reference' && all.length === 1 ? all[0]! : all);
      }}
      className={FIELD}
    />
  );
}
