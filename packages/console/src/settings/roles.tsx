// The roles, their source, and errors in their files.

import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { FileLink } from '../chat/file-link.tsx';
import { client } from '../data/client.ts';
import { keys } from '../data/queries.ts';
import { CARD, Code, Section } from './section.tsx';

type Role = Awaited<ReturnType<typeof client.roles.list>>['items'][number];

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
        <ul className={CARD}>
          {roles.map((role) => (
            <Entry key={role.name} role={role} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function Entry({ role: { name, description, model, tools, source, problem } }: { readonly role: Role }) {
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
      </div>
      {description && <p className="text-soft">{description}</p>}
      {problem && <FileProblem {...problem} />}
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
