// The Agent Skills of the workspace, and errors in their files.

import { useQuery } from '@tanstack/react-query';
import { FileLink } from '../chat/file-link.tsx';
import { client } from '../data/client.ts';
import { keys } from '../data/queries.ts';
import { FileProblem } from './roles.tsx';
import { CARD, Code, Section } from './section.tsx';

export function Skills() {
  // Skills are files, so a file hint may change them.
  const query = useQuery({
    queryKey: [...keys.files, 'skills'],
    queryFn: async ({ signal }) => (await client.skills.list({ signal })).items,
  });
  return (
    <Section
      title="Skills"
      about={
        <>
          Instructions for particular tasks. A file <Code>/.agents/skills/name/SKILL.md</Code> adds a skill.
          Agents always know its name and description, and read the rest when they need it.
        </>
      }
      query={query}
    >
      {(skills) =>
        skills.length === 0 ? (
          <p className="text-soft">No skills yet.</p>
        ) : (
          <ul className={CARD}>
            {skills.map(({ name, description, path, version, problem }) => (
              <li key={name} className="px-4 py-2.5">
                <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
                  <h3 className="font-medium">{name}</h3>
                  <FileLink path={path} version={version} />
                </div>
                {description && <p className="text-soft">{description}</p>}
                {problem && <FileProblem {...problem} />}
              </li>
            ))}
          </ul>
        )
      }
    </Section>
  );
}
