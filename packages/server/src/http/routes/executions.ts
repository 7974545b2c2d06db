// Commands in the sandbox: whether there is one, a command while it runs and afterwards, and the changes that it proposes.

import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { schemas, type Execution } from '@continuo/protocol';
import { waitForNews } from '../../bus/wait.ts';
import { TooMuchWork, workers } from '../../compute/pool.ts';
import { transaction } from '../../db/pool.ts';
import { asText, readWhole } from '../../files/content.ts';
import { authorFor, findFile, findFiles, lockFiles, writeFile, type Changed } from '../../files/files.ts';
import { DIFF_BYTES, readVersion } from '../../files/versions.ts';
import type { WorkspaceScope } from '../../identity/scope.ts';
import { parseToolResultId } from '../../runs/reads/tool-results.ts';
import {
  EXECUTION_CHANGED,
  listChanges,
  readChange,
  readExecution,
  recordApplied,
  type ExecutionId,
  type ExecutionRow,
} from '../../sandbox/executions.ts';
import { withoutColors } from '../../sandbox/output.ts';
import { NotProposed, storeProposed } from '../../sandbox/proposal.ts';
import type { App, HttpContext } from '../app.ts';
import { jsonBody } from '../kernel/body.ts';
import { whileConnected } from '../kernel/client-gone.ts';
import { fileAt, writable } from '../kernel/paths.ts';
import { requirePersonFor, ROLE_FILES, SOMETIMES_PERSON } from '../kernel/person.ts';
import { Problem } from '../kernel/problem.ts';
import { findScopeOfRun } from '../kernel/scope.ts';
import { body, json, notFound, problems, wholeNumber } from '../kernel/shared.ts';
import { pathTaken, refusedWrite, toWireFile, versionConflict } from './file-responses.ts';

const tags = ['sandbox'];
const path = '/api/v1/executions/{id}';
const params = z.object({
  id: z.string().meta({ description: 'The run’s id, a colon, and the call’s id.' }),
});
const WAIT_SECONDS = 30;

export function executionRoutes(app: App, { sandbox, bus, workspaces, config }: HttpContext): void {
  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/sandbox',
      tags,
      summary: 'Whether agents can run commands on this server, and if not, why',
      responses: { 200: json(schemas.sandbox, 'The state of the sandbox') },
    }),
    (c) => c.json(sandbox, 200),
  );

  app.openapi(
    createRoute({
      method: 'get',
      path,
      tags,
      summary: 'Read a command, its output and the changes that it proposes',
      description: `With \`wait\`, the response comes when the command has written more than \`after\` bytes or has ended, and at the latest after that many seconds.`,
      request: {
        params,
        query: z.object({
          after: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional(),
          wait: wholeNumber(0, WAIT_SECONDS).optional(),
          output: z.enum(['plain', 'colors', 'none']).default('plain').openapi({
            description:
              'How the output is returned: as plain text, with escape sequences for colours, or not at all.',
          }),
        }),
      },
      responses: { 200: json(schemas.execution, 'The command'), ...problems(400, 404) },
    }),
    async (c) => {
      const { scope, row } = await executionIn(c, c.req.valid('param').id);
      const { wait = 0, after = 0, output } = c.req.valid('query');
      const isNews = ({ endedAt, outputBytes }: ExecutionRow) => endedAt !== null || outputBytes > after;
      const read = async () => (await readExecution(scope.db, row)) ?? row;
      const found =
        wait === 0 || isNews(row)
          ? row
          : await whileConnected(c.env.outgoing, (signal) =>
              waitForNews(bus, EXECUTION_CHANGED, {
                concerns: ({ key }) => key === `${row.runId}:${row.callId}`,
                read,
                isNews,
                milliseconds: wait * 1000,
                signal,
              }),
            );
      const changes = await changesOf(scope, found);
      return c.json(toWireExecution({ ...found, output: OUTPUTS[output](found.output) }, changes), 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: `${path}/diff`,
      tags,
      summary: 'Compare a file that a command proposes with the version that the command started from',
      request: { params, query: z.object({ path: z.string() }) },
      responses: { 200: json(schemas.fileDiff, 'The difference'), ...problems(400, 404, 422) },
    }),
    async (c) => {
      const { scope, row } = await executionIn(c, c.req.valid('param').id);
      const place = fileAt(c.req.valid('query').path);
      const change = await readChange(scope.db, row, place);
      if (!change) throw notChanged(`The command did not change ${place.path}.`);
      const { base, content } = change;
      const file = await findFile(scope.db, scope.workspaceId, place);
      const old = base === 0 || !file ? null : await readVersion(scope.db, file.id, base);
      const where = { path: place.path, from: base, to: base + 1 };
      const text = asText(content);
      if (text === null || old?.isText === false)
        return c.json({ ...where, binary: true, diff: '', added: 0, removed: 0 }, 200);
      if (Math.max(content.length, old?.size ?? 0) > DIFF_BYTES) throw diffTooLarge();
      const before = old ? (asText(await readWhole(scope.db, old.chunks)) ?? '') : '';
      const sides = {
        from: { name: old?.path ?? '/dev/null', text: before },
        to: { name: place.path, text },
      };
      const difference = await whileConnected(c.env.outgoing, (signal) =>
        workers.run('difference', sides, { key: scope.workspaceId, signal }),
      ).catch((error: unknown) => {
        throw error instanceof TooMuchWork ? diffTooLarge() : error;
      });
      return c.json({ ...where, binary: false, ...difference }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: `${path}/apply`,
      tags,
      summary: 'Apply files that a command proposes, all or none',
      description: `Each becomes a version whose author is the caller, if the file is still at the version that the command started from. ${ROLE_FILES}`,
      security: SOMETIMES_PERSON,
      middleware: jsonBody({ limit: 2 * 1024 * 1024 }),
      request: { params, body: body(schemas.appliedChanges) },
      responses: {
        200: json(z.object({ items: z.array(schemas.file) }), 'The files that changed'),
        ...problems(400, 403, 404, 409, 410, 412, 413, 415, 422),
      },
    }),
    async (c) => {
      const { scope, row } = await executionIn(c, c.req.valid('param').id);
      const { db, workspaceId, principal } = scope;
      const paths = c.req.valid('json').paths.map((each) => writable(fileAt(each)));
      requirePersonFor(c, ...paths);
      const proposed = await storeProposed(db, row, paths, config.maxFileBytes).catch((error: unknown) => {
        throw error instanceof NotProposed ? refused(error) : error;
      });
      const changes = await transaction(db, async (client) => {
        await lockFiles(client, workspaceId, paths);
        const made: Changed[] = [];
        for (const each of proposed) {
          const where = { workspaceId, author: authorFor(principal), quotaBytes: config.workspaceBytes };
          const changed = await writeFile(client, { ...each, ...where });
          if (changed.kind === 'conflict') throw await versionConflict(client, changed.file);
          if (changed.kind === 'in_the_way') throw pathTaken(changed.problem);
          made.push(changed);
        }
        const files = made.flatMap((each) => ('file' in each && each.file ? [each.file] : []));
        await recordApplied(client, row, files);
        return made;
      }).catch((error: unknown) => {
        throw refusedWrite(error, config.workspaceBytes);
      });
      await workspaces.committed(workspaceId, changes);
      const items = changes.flatMap((change) =>
        'file' in change && change.file ? [toWireFile(change.file)] : [],
      );
      return c.json({ items }, 200);
    },
  );
}

const OUTPUTS = { plain: withoutColors, colors: (text: string) => text, none: () => '' };

type WireChange = Execution['changes'][number];

/** The proposed changes, each with whether it was applied, and whether it still can be. */
async function changesOf(
  { db, workspaceId }: WorkspaceScope,
  id: ExecutionId,
): Promise<readonly WireChange[]> {
  const changes = await listChanges(db, id);
  const places = changes.map(({ path: changed }) => fileAt(changed));
  const heads = places.length === 0 ? new Map<string, never>() : await findFiles(db, workspaceId, places);
  return changes.map(({ isText, appliedVersion: version, ...change }) => {
    const isOpen = (heads.get(change.path)?.version ?? 0) === change.base;
    const state = version !== null ? 'applied' : isOpen ? 'open' : 'outdated';
    return { ...change, text: isText, state, version };
  });
}

/** The command, in the scope of its workspace; 404 if the principal may use no such command. */
async function executionIn(
  c: Context,
  id: string,
): Promise<{ readonly scope: WorkspaceScope; readonly row: ExecutionRow }> {
  const parsed = parseToolResultId(id);
  const scope = parsed && (await findScopeOfRun(c, parsed.runId));
  const row = scope && (await readExecution(scope.db, { runId: parsed.runId, callId: parsed.call }));
  if (!row) throw notFound('execution', id.slice(0, 300));
  return { scope, row };
}

function toWireExecution(row: ExecutionRow, changes: readonly WireChange[]): Execution {
  return {
    id: `${row.runId}:${row.callId}`,
    run_id: row.runId,
    thread_id: row.threadId,
    call: row.callId,
    command: row.command,
    cwd: row.cwd,
    network: [...row.network],
    status: row.endedAt ? 'ended' : 'running',
    output: row.output,
    output_bytes: row.outputBytes,
    exit_code: row.exitCode,
    ended_by: row.endedBy,
    changes: [...changes],
    left_out: [...row.leftOut],
    started_at: row.startedAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
  };
}

function refused({ code, message }: NotProposed): Problem {
  const detail = `Nothing was applied: ${message}.`;
  if (code === 'not_changed') return notChanged(detail);
  return new Problem({ status: code === 'version_conflict' ? 412 : 413, code, detail });
}

function notChanged(detail: string): Problem {
  return new Problem({ status: 404, code: 'change_not_found', detail });
}

function diffTooLarge(): Problem {
  return new Problem({
    status: 422,
    code: 'diff_too_large',
    detail: `The texts cannot be compared; each may have at most ${DIFF_BYTES} bytes.`,
  });
}
