// Edits the file of a role where the role is shown. Problems are shown below the text, with their lines.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useRef, useState, type FormEvent } from 'react';
import { client } from '../data/client.ts';
import { keys } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { Failure, Loading } from '../ui/states.tsx';
import { FIELD } from './section.tsx';

export type Role = Awaited<ReturnType<typeof client.roles.list>>['items'][number];

function pathOf(name: string): string {
  return `/agents/${name}.md`;
}

/** A built-in role as a file that does the same. JSON is YAML. */
function fileOf({ description, model, tools, permissions, limits, preamble }: Role): string {
  const fields = {
    ...(description !== null && { description }),
    ...(model !== null && { model }),
    ...(tools !== null && { tools }),
    ...(permissions.length > 0 && { permissions }),
    ...(Object.keys(limits ?? {}).length > 0 && { limits }),
  };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`);
  return `---\n${head.join('')}---\n${preamble ?? ''}`;
}

const NEW_ROLE =
  '---\ndescription: What it does, in a sentence.\ntools: [ls, read, grep]\n---\nYou … Say here what the role is to do, and how.\n';

interface RoleEditorProps {
  readonly name: string;
  /** Null: there is no such role yet. */
  readonly role: Role | null;
  readonly close: () => void;
}

export function RoleEditor({ name, role, close }: RoleEditorProps) {
  const path = pathOf(name);
  // A file with a mistake leaves the built-in role or an earlier version in use.
  const hasFile = role !== null && (role.source.kind === 'file' || role.problem !== null);
  const file = useQuery({
    queryKey: ['role-file', path],
    queryFn: async ({ signal }) => {
      if (!hasFile) return { version: null, text: role ? fileOf(role) : NEW_ROLE };
      const read = await client.files.read(path, { signal });
      return { version: read.version, text: await read.text() };
    },
    // Read again each time that it is opened; while it is open, the person's text stays.
    gcTime: 0,
  });
  if (file.error) return <Failure error={file.error} retry={() => void file.refetch()} />;
  if (!file.data) return <Loading what={path} />;
  return <Text name={name} role={role} base={file.data} close={close} />;
}

function Text({
  name,
  role,
  base,
  close,
}: RoleEditorProps & { readonly base: { readonly version: number | null; readonly text: string } }) {
  const path = pathOf(name);
  const cache = useQueryClient();
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(base.text);
  const [saved, setSaved] = useState(base);
  const [state, setState] = useState<'idle' | 'busy' | 'saved' | Error>('idle');
  const problem = role?.problem ?? null;
  const change = async (act: () => Promise<void>) => {
    setState('busy');
    try {
      await act();
      setState('saved');
    } catch (error) {
      setState(error as Error);
    }
    await cache.invalidateQueries({ queryKey: keys.files });
  };
  const save = () =>
    change(async () => {
      const { version } = await client.files.write(path, text, { base: saved.version });
      setSaved({ version, text });
    });
  const remove = async () => {
    setState('busy');
    try {
      await client.files.remove(path, { base: saved.version });
      await cache.invalidateQueries({ queryKey: keys.files });
      close();
    } catch (error) {
      setState(error as Error);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (state !== 'busy') void save();
  };
  const goTo = (line: number, column: number) => {
    const before = text.split('\n').slice(0, line - 1);
    const start = before.reduce((sum, each) => sum + each.length + 1, 0);
    const end = text.indexOf('\n', start);
    field.current?.focus();
    field.current?.setSelectionRange(start + column - 1, end < 0 ? text.length : end);
  };
  return (
    <form onSubmit={submit} aria-label={`Edit the role ${name}`} className="mt-3 border-t pt-3">
      <label htmlFor={id} className="text-xs text-soft">
        <code className="font-mono">{path}</code>
        {saved.version === null ? ': saving creates the file' : `, version ${saved.version}`}
      </label>
      <textarea
        ref={field}
        id={id}
        autoFocus
        spellCheck={false}
        rows={Math.min(24, Math.max(8, text.split('\n').length + 1))}
        value={text}
        aria-invalid={problem !== null}
        aria-describedby={`${id}-problem`}
        onChange={(event) => {
          setText(event.target.value);
          setState('idle');
        }}
        onKeyDown={(event) => {
          if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          submit(event);
        }}
        className={`${FIELD} mt-1 font-mono text-xs leading-5`}
      />
      <div id={`${id}-problem`} role="alert" className="mt-1.5 empty:hidden">
        {state instanceof Error ? (
          <p className="text-bad wrap-anywhere">{state.message}</p>
        ) : (
          problem &&
          text === saved.text && (
            <p className="text-bad wrap-anywhere">
              <button
                type="button"
                onClick={() => goTo(problem.line, problem.column)}
                className="rounded font-medium underline underline-offset-2"
              >
                Line {problem.line}, column {problem.column}
              </button>
              : {problem.sentence}
            </p>
          )
        )}
      </div>
      <div className="mt-2 flex flex-wrap items-center justify-end gap-2">
        <span role="status" className="mr-auto text-xs text-soft">
          {state === 'busy'
            ? 'Saving…'
            : state === 'saved'
              ? problem
                ? 'Saved, but not in use.'
                : 'Saved and in use.'
              : ''}
        </span>
        {saved.version !== null && (
          <Button kind="danger" disabled={state === 'busy'} onClick={() => void remove()}>
            Remove the file
          </Button>
        )}
        <Button onClick={close}>Close</Button>
        <Button
          kind="primary"
          type="submit"
          disabled={state === 'busy' || (saved.version !== null && text === saved.text)}
        >
          Save
        </Button>
      </div>
    </form>
  );
}
