// The roles, their source, and errors in their files. A role is edited in place.

import { useQuery } from '@tanstack/react-query';
import { Pencil, Plus, TriangleAlert } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { FileLink } from '../chat/file-link.tsx';
import { client } from '../data/client.ts';
import { keys } from '../data/queries.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { RoleEditor, type Role } from './role-editor.tsx';
import { CARD, Code, FIELD, Section } from './section.tsx';

export function Roles() {
  // Roles are files, so a file hint may change them.
  const query = useQuery({
    queryKey: [...keys.files, 'roles'],
    queryFn: async ({ signal }) => (await client.roles.list({ signal })).items,
  });
  return (
    <Section
      title="Roles"
      about={
        <>
          Roles that can answer a message. A file <Code>/agents/name.md</Code> adds a role or replaces a
          built-in one.
        </>
      }
      query={query}
    >
      {(roles) => (
        <>
          <ul className={CARD} aria-label="Roles">
            {roles.map((role) => (
              <Entry key={role.name} role={role} />
            ))}
          </ul>
          <NewRole roles={roles} />
        </>
      )}
    </Section>
  );
}

function NewRole({ roles }: { readonly roles: readonly Role[] }) {
  const [name, setName] = useState('');
  const [making, setMaking] = useState<string | null>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setMaking(name.trim());
    setName('');
  };
  if (making !== null)
    return (
      <div className="mt-3 rounded-xl border bg-raised px-4 pb-3 text-sm">
        <RoleEditor
          name={making}
          role={roles.find((role) => role.name === making) ?? null}
          close={() => setMaking(null)}
        />
      </div>
    );
  return (
    <form onSubmit={submit} aria-label="New role" className="mt-3 flex flex-wrap items-center gap-2">
      <input
        aria-label="Name of the new role"
        placeholder="name, such as poet"
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        value={name}
        onChange={(event) => setName(event.target.value)}
        className={`${FIELD} max-w-64 flex-1`}
      />
      <Button type="submit" disabled={name.trim() === '' || roles.some((role) => role.name === name.trim())}>
        <Plus className="size-4" aria-hidden="true" /> New role
      </Button>
    </form>
  );
}

function Entry({ role }: { readonly role: Role }) {
  const { name, description, model, tools, source, problem } = role;
  const [editing, setEditing] = useState<'no' | 'yes' | 'closed'>('no');
  return (
    <li className="px-4 py-2.5">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <h3 className="font-medium">{name}</h3>
        {source.kind === 'file' ? (
          <FileLink path={source.path} version={source.version} />
        ) : (
          <span className="text-xs text-soft">Built in</span>
        )}
        <span className="ml-auto text-xs text-soft">
          {[model, tools === null ? 'all tools' : `${tools.length} tools`].filter(Boolean).join(' · ')}
        </span>
        <IconButton
          label={`Edit the role ${name}`}
          aria-expanded={editing === 'yes'}
          autoFocus={editing === 'closed'}
          className="-my-1.5 self-center"
          onClick={() => setEditing(editing === 'yes' ? 'closed' : 'yes')}
        >
          <Pencil />
        </IconButton>
      </div>
      {description && <p className="text-soft">{description}</p>}
      {editing === 'yes' ? (
        <RoleEditor name={name} role={role} close={() => setEditing('closed')} />
      ) : (
        problem && <FileProblem {...problem} />
      )}
    </li>
  );
}

/** Why the newest version of a role's or skill's file is not in use. */
export function FileProblem({ path, line, column, version, sentence }: NonNullable<Role['problem']>) {
  return (
    <p className="mt-1.5 flex items-start gap-2 rounded-lg bg-warn-wash px-3 py-1.5 text-warn">
      <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
      <span className="min-w-0 break-words">
        <Code>
          {path}:{line}:{column}
        </Code>{' '}
        (v{version}) is not in use: {sentence}
      </span>
    </p>
  );
}
