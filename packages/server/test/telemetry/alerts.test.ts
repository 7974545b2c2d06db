// The alerts and the dashboard in deploy/: they name metrics that the server has, and each alert fires when it should, by the word
// of Prometheus' own tool.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { findDebianProgram } from '@continuo/testkit/fixtures';
import { createMetrics } from '../../src/telemetry/metrics.ts';

const DEPLOY = fileURLToPath(new URL('../../../../deploy/', import.meta.url));
const promtool = await findDebianProgram('prometheus', 'usr/bin/promtool');
if ('why' in promtool) console.warn(`The tests of the alerts are skipped: ${promtool.why}.`);

interface Rule {
  readonly alert: string;
  readonly expr: string;
}
const rules = (
  parse(readFileSync(join(DEPLOY, 'prometheus/alerts.yml'), 'utf8')) as { groups: { rules: Rule[] }[] }
).groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(readFileSync(join(DEPLOY, 'grafana/continuo.json'), 'utf8')) as {
  panels: { title: string; gridPos: { x: number; w: number }; targets: { expr: string }[] }[];
};

test('PLUS-6 the alerts and the dashboard name only metrics that the server has, and together all of its own', async () => {
  const metrics = createMetrics({
    followers: () => 0,
    holding: () => 0,
    pod: { pod: 'host:1', role: 'all', version: '0.0.0' },
    load: () => Promise.reject(new Error('not needed')),
  });
  const has = [...(await metrics.text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name, type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name!],
  );
  const expressions = [
    ...rules.map(({ expr }) => expr),
    ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ];
  const named = new Set(expressions.flatMap((expr) => expr.match(/\b(continuo|process|nodejs)_\w+/g) ?? []));
  expect([...named].filter((name) => !has.includes(name))).toEqual([]);
  const shown = [...named].map((name) => name.replace(/_(bucket|count|sum)$/, ''));
  const own = has
    .filter((name) => name.startsWith('continuo_'))
    .map((name) => name.replace(/_(bucket|count|sum)$/, ''));
  expect([...new Set(own)].filter((name) => !shown.includes(name))).toEqual([]);
});

test('the documentation lists every alert', () => {
  const manual = readFileSync(
    fileURLToPath(new URL('../../../../docs/operation.md', import.meta.url)),
    'utf8',
  );
  const listed = [...manual.matchAll(/^ *\| `(Continuo\w+)` \|/gm)].map(([, name]) => name);
  expect(listed).toEqual(rules.map(({ alert }) => alert));
});

/** For each alert: series under which it fires at that minute, and series under which it does not. */
const CASES: Readonly<Record<string, { at: string; fires: object; rests: object }>> = {
  ContinuoPodDown: {
    at: '3m',
    fires: { 'up{job="continuo",instance="a"}': '0x20' },
    rests: { 'up{job="continuo",instance="a"}': '1 0 1x20' },
  },
  ContinuoQueueStuck: {
    at: '4m',
    fires: { 'continuo_queue_age_seconds{instance="a"}': '70+60x20' },
    rests: { 'continuo_queue_age_seconds{instance="a"}': '59x20' },
  },
  ContinuoSlowAppends: {
    at: '25m',
    fires: {
      'continuo_append_seconds_bucket{instance="a",le="0.5"}': '0+98x40',
      'continuo_append_seconds_count{instance="a"}': '0+100x40',
    },
    rests: {
      'continuo_append_seconds_bucket{instance="a",le="0.5"}': '0+100x40',
      'continuo_append_seconds_count{instance="a"}': '0+100x40',
    },
  },
  ContinuoTakeovers: {
    at: '15m',
    fires: { 'continuo_takeovers_total{instance="a"}': '0+2x20' },
    rests: { 'continuo_takeovers_total{instance="a"}': '0x5 3x20' },
  },
  ContinuoRunsFail: {
    at: '20m',
    fires: {
      'continuo_runs_total{status="error"}': '0+3x30',
      'continuo_runs_total{status="done"}': '0+6x30',
    },
    // One of one: too few to say.
    rests: {
      'continuo_runs_total{status="error"}': '0x10 1x20',
      'continuo_runs_total{status="done"}': '0x30',
    },
  },
  ContinuoProviderRetries: {
    at: '20m',
    fires: {
      'continuo_model_retries_total{model="m",code="rate_limited"}': '0+4x30',
      'continuo_model_calls_total{model="m",ended="complete"}': '0+6x30',
    },
    rests: {
      'continuo_model_retries_total{model="m",code="rate_limited"}': '0+2x30',
      'continuo_model_calls_total{model="m",ended="complete"}': '0+6x30',
    },
  },
  ContinuoSpansDropped: {
    at: '20m',
    fires: { 'continuo_spans_dropped_total{instance="a"}': '0+5x30' },
    rests: { 'continuo_spans_dropped_total{instance="a"}': '0x30' },
  },
};

test.skipIf('why' in promtool)(
  'PLUS-6 promtool accepts the alerts, the configuration and the queries of the dashboard, and each alert fires when it should',
  () => {
    const program = 'program' in promtool ? promtool.program : '';
    const folder = mkdtempSync(join(tmpdir(), 'continuo-alerts-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    cpSync(join(DEPLOY, 'prometheus'), folder, { recursive: true });
    const config = join(folder, 'prometheus.yml');
    const key = join(folder, 'continuo-api-key');
    writeFileSync(key, 'a-key');
    writeFileSync(
      config,
      readFileSync(config, 'utf8').replace('/etc/prometheus/continuo-api-key', () => key),
    );
    execFileSync(program, ['check', 'config', config]);
    // Grafana puts the interval in.
    const shown = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    const queries = shown.map((expr, index) => ({
      record: `panel:query:${index}`,
      expr: expr.replaceAll('$__rate_interval', '1m'),
    }));
    expect(queries.length).toBeGreaterThan(20);
    const panels = join(folder, 'panels.yml');
    writeFileSync(panels, stringify({ groups: [{ name: 'panels', rules: queries }] }));
    expect(execFileSync(program, ['check', 'rules', panels], { encoding: 'utf8' })).toContain(
      `${queries.length} rules found`,
    );
    expect(Object.keys(CASES)).toEqual(rules.map(({ alert }) => alert));
    const series = (given: object) =>
      Object.entries(given).map(([name, values]) => ({ series: name, values: String(values) }));
    // Without annotations, promtool would ask for their exact words: the count of firing alerts is asked instead.
    const tests = Object.entries(CASES).flatMap(([alertname, { at, fires, rests }]) =>
      [fires, rests].map((given, index) => ({
        interval: '1m',
        input_series: series(given),
        promql_expr_test: [
          {
            expr: `count(ALERTS{alertname="${alertname}",alertstate="firing"}) or vector(0)`,
            eval_time: at,
            exp_samples: [{ labels: '{}', value: index === 0 ? 1 : 0 }],
          },
        ],
      })),
    );
    writeFileSync(
      join(folder, 'tests.yml'),
      stringify({ rule_files: ['alerts.yml'], evaluation_interval: '1m', tests }),
    );
    expect(
      execFileSync(program, ['test', 'rules', join(folder, 'tests.yml')], { encoding: 'utf8' }),
    ).toContain('SUCCESS');
  },
);
