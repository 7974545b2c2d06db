// The settings of the workspace and the server.

import { Link } from '@tanstack/react-router';
import { ReadKeys } from '../content/read-keys.tsx';
import { McpServers } from '../settings/mcp.tsx';
import { Models } from '../settings/models.tsx';
import { Network } from '../settings/network.tsx';
import { Policy } from '../settings/policy.tsx';
import { Roles } from '../settings/roles.tsx';
import { Secrets } from '../settings/secrets.tsx';
import { Skills } from '../settings/skills.tsx';
import { Storage } from '../settings/storage.tsx';
import { Usage } from '../settings/usage.tsx';
import { Workspaces } from '../settings/workspaces.tsx';
import { anchorOf, SECTIONS } from '../settings/sections.ts';
import { PageFrame } from '../ui/page.tsx';

export function Page() {
  return (
    <PageFrame title="Settings">
      <Contents />
      <Models />
      <Roles />
      <Skills />
      <Policy />
      <Network />
      <McpServers />
      <Secrets />
      <ReadKeys />
      <Usage />
      <Workspaces />
      <Storage />
    </PageFrame>
  );
}

/** The sections, to jump to. */
function Contents() {
  return (
    <nav aria-label="Sections" className="mt-4 -mb-4 -ml-2 flex flex-wrap gap-x-1 gap-y-0.5 text-sm">
      {SECTIONS.map((title) => (
        <Link
          key={title}
          to="/settings"
          hash={anchorOf(title)}
          className="rounded-md px-2 py-1 text-soft hover:bg-hover hover:text-ink"
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}
