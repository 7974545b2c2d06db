// Traces: none, unless the operator names a collector.

import { hostname } from 'node:os';
import type { Pool } from '../db/pool.ts';
import { VERSION } from '../http/kernel/version.ts';
import { readTypes } from '../log/statements.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { OtlpExporter } from '../telemetry/traces/otlp.ts';
import { ThreadTrace, type OpenTrace } from '../telemetry/traces/thread-trace.ts';
import type { ServerOptions } from './options.ts';

interface Traces {
  readonly open: OpenTrace;
  close(): Promise<void>;
}

export function wireTraces({ config, log }: ServerOptions, pool: Pool, metrics: Metrics): Traces | null {
  const { traceEndpoint, traceHeaders, traceService, traceContent } = config;
  if (traceEndpoint === undefined) return null;
  const exporter = new OtlpExporter({
    endpoint: traceEndpoint,
    headers: traceHeaders,
    resource: {
      'service.name': traceService,
      'service.version': VERSION,
      'service.instance.id': `${hostname()}/${process.pid}`,
    },
    onDropped: (spans) => metrics.spansDropped(spans),
    onFailure: (error) => log.warn({ err: error }, 'traces cannot be sent; runs continue'),
  });
  const readBeginnings = async (threadId: string, runId: string) =>
    (await readTypes(pool, threadId, ['tool_start', 'approval'])).filter((event) => event.runId === runId);
  return {
    open: (threadId, runOf) =>
      new ThreadTrace({
        runOf,
        readBeginnings: (runId) => readBeginnings(threadId, runId),
        emit: (span) => exporter.add(span),
        content: traceContent,
      }),
    close: () => exporter.close(),
  };
}
