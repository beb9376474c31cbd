// The rules and the dashboard in deploy/ query metrics and labels that the server shows. promtool checks both where it is installed.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { AdmissionHooks, allow, install } from './admission-hooks.ts';
import { apiOf, configMap, configMaps } from './api.ts';
import { eventually } from './eventually.ts';

const rulesFile = join(import.meta.dirname, '../../deploy/prometheus-rules.yaml');
const dashboardFile = join(import.meta.dirname, '../../deploy/grafana-dashboard.json');

interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
}

const { groups } = parse(readFileSync(rulesFile, 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(readFileSync(dashboardFile, 'utf8')) as {
  panels: { title: string; targets: { expr: string }[] }[];
};
const queries = [
  ...rules.map(({ record, alert = '', expr }) => ({ name: record ?? alert, expr })),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ name: title, expr }))),
].map((query, index) => ({ ...query, index }));

/** Labels that Prometheus adds to what it scrapes. */
const added = new Set(['job', 'instance', 'namespace', 'service', 'endpoint']);
/** Metrics that Prometheus or another rule makes. */
const made = new Set(['up', ...rules.flatMap(({ record }) => record ?? [])]);

interface Selector {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[];
}

/** Names with braces, and the names of recorded rules, which have none. */
function selectorsIn(expr: string): readonly Selector[] {
  return [...expr.matchAll(/([a-zA-Z_:][\w:]*)\{([^}]*)\}/g)].map(([, metric = '', inside = '']) => ({
    metric,
    matchers: [...inside.matchAll(/(\w+)(=~|!~|!=|=)"((?:[^"\\]|\\.)*)"/g)].map(
      ([, label = '', operator = '', value = '']) => ({ label, operator, value }),
    ),
  }));
}

const groupedBy = (expr: string) =>
  [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(',').map((label) => label.trim()));

let server: Server;
let hooks: AdmissionHooks;
let text = '';
/** By name of a series: the values of its labels. */
const series = new Map<string, Map<string, Set<string>>>();
const types = new Set<string>();

beforeAll(async () => {
  // queues and requests of controllers have series once the controllers have worked
  server = await startTestServer({ settle: true });
  hooks = await AdmissionHooks.open();
  const api = apiOf(server);
  await api.post('/api/v1/namespaces', { metadata: { name: 'watched' } });
  await install(
    api,
    'validating',
    'watched',
    hooks.hook('/watched/allow', () => allow),
  );
  await eventually(async () => {
    await api.post('/api/v1/namespaces/watched/configmaps', configMap('', {}, { generateName: 'a' }));
    expect(hooks.reviews.length).toBeGreaterThan(0);
  });
  await api.post(configMaps, configMap('a'));
  await api.put(`${configMaps}/a`, configMap('a', { a: 'b' }));
  for (const path of ['/api/v1/configmaps', configMaps, `${configMaps}/a`]) await api.get(path);
  const watch = await server.fetch(`${configMaps}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`);
  await watch.body?.getReader().read();
  text = await (await server.fetch('/metrics')).text();
  for (const line of text.split('\n')) read(line);
});
afterAll(async () => {
  await server.close();
  await hooks[Symbol.asyncDispose]();
});

function read(line: string): void {
  const [, typed = ''] = /^# TYPE (\S+)/.exec(line) ?? [];
  if (typed !== '') for (const end of ['', '_bucket', '_count', '_sum']) types.add(typed + end);
  const [, name = '', inside = ''] = /^([a-z]\w*)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
  if (name === '') return;
  const labels = series.get(name) ?? new Map<string, Set<string>>();
  series.set(name, labels);
  for (const [, label = '', value = ''] of inside.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g))
    labels.set(label, (labels.get(label) ?? new Set()).add(value));
}

test('there are rules, alerts and panels to check', () => {
  expect(rules.length).toBeGreaterThan(25);
  expect(panels.length).toBeGreaterThan(15);
  expect(queries.flatMap(({ expr }) => selectorsIn(expr)).length).toBeGreaterThan(60);
});

describe.each(queries)('$index $name', ({ expr }) => {
  const selectors = selectorsIn(expr).filter(({ metric }) => !made.has(metric));

  test('queries metrics that the server shows', () => {
    expect(selectors.map(({ metric }) => metric).filter((metric) => !types.has(metric))).toEqual([]);
  });

  test('selects labels, and bounds of buckets, that these metrics have', () => {
    for (const { metric, matchers } of selectors)
      for (const { label, operator, value } of matchers) {
        const labels = series.get(metric);
        if (labels === undefined || added.has(label)) continue;
        expect([metric, ...labels.keys()]).toContain(label);
        if (label === 'le' && operator === '=') expect([...(labels.get('le') ?? [])]).toContain(value);
      }
  });

  test('groups by labels that one of these metrics has', () => {
    const known = new Set(selectors.flatMap(({ metric }) => [...(series.get(metric)?.keys() ?? [])]));
    const hasSeries = selectors.every(({ metric }) => series.has(metric));
    if (hasSeries) expect(groupedBy(expr).filter((label) => !known.has(label) && !added.has(label))).toEqual([]);
  });
});

test('all queried metrics have series after a few requests, but for those about failures and several threads', () => {
  const queried = new Set(queries.flatMap(({ expr }) => selectorsIn(expr)).map(({ metric }) => metric));
  const empty = [...queried].filter((metric) => !made.has(metric) && !series.has(metric));
  expect(empty.sort()).toEqual(quiet);
});

/** Metrics without series while nothing fails, one thread serves, and the store is in memory. */
const quiet = [
  'aggregator_unavailable_apiservice_total',
  'apiserver_flowcontrol_rejected_requests_total',
  'apiserver_request_terminations_total',
  'apiserver_storage_size_bytes',
  'keelson_thread_load',
];

const promtool = process.env['KEELSON_PROMTOOL'] ?? 'promtool';
const hasPromtool = spawnSync(promtool, ['--version']).status === 0;

describe.runIf(hasPromtool)('promtool, where it is installed (KEELSON_PROMTOOL or the PATH)', () => {
  test('accepts the rules', () => {
    const { status, stderr } = spawnSync(promtool, ['check', 'rules', rulesFile], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });

  test('can read the scrape', () => {
    // promtool dislikes some names of kube-apiserver: only text that it cannot read is an error
    const { stderr } = spawnSync(promtool, ['check', 'metrics'], { input: text, encoding: 'utf8' });
    expect(stderr).not.toContain('error while linting: text format parsing error');
  });
});
