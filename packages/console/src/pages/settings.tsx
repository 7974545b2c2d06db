// The settings of the workspace and the server.

import { McpServers } from '../settings/mcp.tsx';
import { Models } from '../settings/models.tsx';
import { Network } from '../settings/network.tsx';
import { Policy } from '../settings/policy.tsx';
import { Roles } from '../settings/roles.tsx';
import { Secrets } from '../settings/secrets.tsx';
import { Skills } from '../settings/skills.tsx';
import { Storage } from '../settings/storage.tsx';
import { PageFrame } from '../ui/page.tsx';

export function Page() {
  return (
    <PageFrame title="Settings">
      <Models />
      <Roles />
      <Skills />
      <Policy />
      <Network />
      <McpServers />
      <Secrets />
      <Storage />
    </PageFrame>
  );
}
