// The client: one object with a member for each resource of the server.

import { createHttp, type ClientOptions } from './http.ts';
import { approvals } from './resources/approvals.ts';
import { executions } from './resources/executions.ts';
import { automation } from './resources/automation.ts';
import { chats } from './resources/chats.ts';
import { content } from './resources/content.ts';
import { files } from './resources/files.ts';
import { knowledge } from './resources/knowledge.ts';
import { runs } from './resources/runs.ts';
import { settings } from './resources/settings.ts';
import { threads } from './resources/threads.ts';
import { workspaces } from './resources/workspaces.ts';

export type Client = ReturnType<typeof createClient>;

export function createClient(options: ClientOptions = {}) {
  const http = createHttp(options);
  return {
    threads: threads(http),
    runs: runs(http),
    chats: chats(http),
    files: files(http),
    approvals: approvals(http),
    executions: executions(http),
    workspaces: workspaces(http),
    ...knowledge(http),
    ...content(http),
    ...settings(http),
    ...automation(http),
  };
}
