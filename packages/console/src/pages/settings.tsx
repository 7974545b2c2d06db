// What the workspace and its server are set to.

import { useTitle } from '../app/title.ts';
import { McpServers } from '../settings/mcp.tsx';
import { Models } from '../settings/models.tsx';
import { Policy } from '../settings/policy.tsx';
import { Roles } from '../settings/roles.tsx';
import { Storage } from '../settings/storage.tsx';

export function Page() {
  useTitle('Settings');
  return (
    <div
      className="min-h-0 flex-1 overflow-y-auto"
      tabIndex={0}
      data-quiet-focus
      role="region"
      aria-label="Settings"
    >
      <div className="mx-auto max-w-3xl px-4 py-8 sm:px-6">
        <h1 className="text-xl font-semibold tracking-tight">Settings</h1>
        <Models />
        <Roles />
        <Policy />
        <McpServers />
        <Storage />
      </div>
    </div>
  );
}
