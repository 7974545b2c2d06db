// The composition root: starts the parts of the server in order, and stops them in order. The files in wiring/
// construct them.

import { setTimeout } from 'node:timers/promises';
import { makePrivateHome } from '@continuo/postgres';
import { podName, type Pod } from './actors/pod.ts';
import { PostgresBus } from './bus/postgres.ts';
import { VERSION } from './http/kernel/version.ts';
import { Streams } from './http/streams/sse.ts';
import { WorkspaceHints } from './http/streams/workspace-hints.ts';
import { keepPersonToken, personLink } from './identity/person-token.ts';
import { createOutgoing } from './outgoing/outgoing.ts';
import { readLoad } from './runs/reads/load.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { writeAuditSettings } from './threads/chats/read-chats.ts';
import { createThreadOriginCache } from './threads/origin-cache.ts';
import { startChores } from './upkeep/chores.ts';
import { wireAgents } from './wiring/agents.ts';
import { wireAutomation } from './wiring/automation.ts';
import { wireContent } from './wiring/content.ts';
import { wireDatabase } from './wiring/database.ts';
import { wireExecutors } from './wiring/executors.ts';
import { wireFiles } from './wiring/files.ts';
import { wireHttp } from './wiring/http.ts';
import { wireKnowledge } from './wiring/knowledge.ts';
import { wireLog } from './wiring/log.ts';
import { wireModels } from './wiring/models.ts';
import { createSealing, keepSecretsKey } from './workspaces/sealing.ts';
import { createSecrets } from './workspaces/secrets.ts';
import { GRACE_MS, type PodStatus, type ServerOptions } from './wiring/options.ts';
import { subscribePlanRuns } from './planning/topics.ts';
import { wirePlanning } from './wiring/planning.ts';
import { wirePod } from './wiring/runs.ts';
import { wireSandbox } from './wiring/sandbox.ts';
import { wireTraces } from './wiring/traces.ts';

export interface RunningServer {
  readonly url: string;
  /** The address that opens the console for a person. It contains the person's token. */
  readonly link: string;
  readonly model: string;
  readonly database: 'embedded' | 'external';
  /**
   * Drains the pod: says that it is not ready for the time that the settings give, then takes no new work, releases its threads within one step, ends the streams, and closes the database
   * last.
   */
  stop(): Promise<void>;
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { config, log, faults, keys } = options;
  const podStatus: PodStatus = { alone: () => pod.alone, holding: () => pod.holding };

  const models = wireModels(options, (model, code) => metrics.modelRetried(model, code));
  makePrivateHome(config.home);
  const personToken = config.personToken ?? (await keepPersonToken(config.home));
  const database = await wireDatabase(options);
  const { pool, storage, embedded, onError } = database;
  await writeAuditSettings(pool, config.toolSummaryLines);

  const bus = new PostgresBus({ pool, alone: podStatus.alone, onError });
  const metrics = createMetrics({
    followers: () => followers.count,
    holding: podStatus.holding,
    pod: { pod: podName(), role: config.role, version: VERSION },
    load: () => readLoad(pool),
  });
  const { writer, followers, recent } = wireLog({ database, bus, metrics, faults });
  const { workspaces, changes, indexer, mirrors } = wireFiles(options, database, bus, podStatus);
  const { knowledge, folders } = wireKnowledge(options, database, { bus, workspaces });
  const sealing = createSealing(config.secretsKey ?? (await keepSecretsKey(config.home)));
  const secrets = createSecrets({ pool, bus, sealing });
  const outgoing = createOutgoing({ allow: config.outgoingAllow });
  const { sandbox, state: sandboxState } = await wireSandbox(options, database, {
    bus,
    workspaces,
    outgoing,
  });
  const { agents, packs, roles, mcp, toolNames } = await wireAgents(options, {
    pool,
    bus,
    models,
    workspaces,
    knowledge,
    outgoing,
    secrets,
    sandbox,
  });
  const planning = { bus, workspaces, knowledge, roles, mcp, toolNames };
  const { plans, keeper, conductors: planned } = wirePlanning(options, database, planning);
  const conductors = new Map([...(options.conductors ?? []), ...planned]);
  const { executor, claims } = wireExecutors(options, database, bus);
  const traces = wireTraces(options, pool, metrics);
  const running = {
    database,
    bus,
    writer,
    agents,
    executor,
    conductors,
    packs,
    secrets,
    metrics,
    traces: traces?.open ?? null,
  };
  const pod: Pod = wirePod(options, running);
  subscribePlanRuns({ bus, pool, wake: (threadId) => void pod.wake(threadId, null).catch(onError), onError });

  const originOf = createThreadOriginCache(pool);
  const workspaceOf = (threadId: string) => {
    const origin = originOf(threadId);
    return origin instanceof Promise
      ? origin.then((found) => found?.workspaceId ?? null)
      : origin.workspaceId;
  };
  const automation = wireAutomation(options, {
    pool,
    bus,
    pod,
    agents,
    plans,
    outgoing,
    sealing,
    workspaceOf,
    onError,
  });
  const publications = wireContent(options, { pool, bus, onError });
  const hints = new WorkspaceHints({ bus, workspaceOf, onError });
  const streams = new Streams(followers, changes);
  // Bind the port first: a second server on a taken port must not claim any thread.
  const http = await wireHttp(
    {
      config,
      storage,
      bus,
      pod,
      mcp,
      secrets,
      triggers: automation.triggers,
      claims,
      sealing,
      agents,
      packs,
      models,
      roles,
      originOf,
      workspaces,
      knowledge,
      plans,
      streams,
      recent,
      hints,
      sandbox: sandboxState,
      metrics,
      personToken,
      keys,
      log,
    },
    pool,
  );
  await mirrors.start();
  await pod.start();
  await automation.start();
  publications.start();
  const chores = startChores(pool, onError);

  return {
    url: http.url,
    link: personLink(http.url, personToken),
    model: models.default,
    database: embedded ? 'embedded' : 'external',
    stop: async () => {
      pod.leave();
      if (config.drainSeconds > 0) await setTimeout(config.drainSeconds * 1000);
      const connections = http.close();
      claims.close();
      await Promise.all([automation.stop(), publications.stop()]);
      await pod.stop(GRACE_MS);
      streams.close();
      followers.close();
      changes.close();
      await chores.stop();
      await connections.drain();
      await mcp.close();
      await sandbox?.close();
      await outgoing.close();
      await writer.close();
      await traces?.close();
      await mirrors.stop();
      await folders.stop();
      await keeper.stop();
      await indexer.stop();
      await pool.end();
      await embedded?.release();
    },
  };
}
