// Sends the requests of a scenario and writes down the answers, with what differs from run to run masked.

import { isJsonObject, type JsonObject } from '../../src/base/json/json.ts';
import { applyMergePatch } from '../../src/patch/merge-patch.ts';
import type { Answer, Call, Cluster } from './cluster.ts';
import { Mask } from './mask.ts';
import { protobufView } from './protobuf-view.ts';
import { mediaTypes, patchTypes, type Scenario, type Step, substitute } from './scenario.ts';

/** One answer as it is kept: a line of a recording. */
export interface Recorded {
  readonly scenario: string;
  readonly request: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly warnings?: readonly string[];
  readonly body?: unknown;
}

/** Headers that clients act on. */
const keptHeaders = ['content-type', 'retry-after', 'allow', 'location'];

/** How long a step that waits for something waits. */
const patienceMs = 60_000;

interface Run {
  readonly cluster: Cluster;
  readonly scenario: Scenario;
  readonly mask: Mask;
  readonly variables: Record<string, unknown>;
  readonly recorded: Recorded[];
  /** What was created outside the scenario's namespace. */
  readonly made: string[];
}

/** `id` is short, the same length for every run, and makes names unique. */
export async function runScenario(
  cluster: Cluster,
  scenario: Scenario,
  { id, shared }: { readonly id: string; readonly shared: string },
): Promise<readonly Recorded[]> {
  const u = `u-${id}`;
  const ns = scenario.namespace === 'shared' ? shared : `ns-${id}`;
  const mask = new Mask([
    [ns, '<ns>'],
    [u, '<u>'],
    [id, '<id>'],
  ]);
  const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=3';
  const variables = { ns, u, id, initial, core: `/api/v1/namespaces/${ns}`, apps: `/apis/apps/v1/namespaces/${ns}` };
  const run: Run = { cluster, scenario, mask, variables, recorded: [], made: [] };
  const isOwn = (scenario.namespace ?? 'own') === 'own';
  if (isOwn) await makeNamespace(cluster, ns, scenario.labels);
  try {
    for (const step of scenario.steps) await runStep(run, step);
  } finally {
    for (const path of [...run.made].reverse()) await remove(cluster, path);
    if (isOwn) await remove(cluster, `/api/v1/namespaces/${ns}`);
  }
  return run.recorded;
}

/** A namespace in which pods can be made. */
export async function makeNamespace(
  cluster: Cluster,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
  await cluster.send(callOf({ request: 'POST /api/v1/namespaces', body }));
  for (const path of ['serviceaccounts/default', 'configmaps/kube-root-ca.crt']) {
    const step = { request: `GET /api/v1/namespaces/${name}/${path}`, until: { status: 200 } };
    await sendUntil(cluster, callOf(step), step);
  }
}

export async function remove(cluster: Cluster, path: string): Promise<void> {
  await cluster.send({ method: 'DELETE', path, headers: {} });
}

async function runStep(run: Run, given: Step): Promise<void> {
  const step = substitute(given, run.variables) as Step;
  const call = callOf(step);
  const answer = step.watch === undefined ? await sendUntil(run.cluster, call, step) : await watch(run, call, given);
  const body = bodyOf(answer, step);
  note(run, call, answer, body);
  for (const [name, path] of Object.entries(step.capture ?? {})) run.variables[name] = valueAt(body, path);
  // a preparation that failed shows itself, and so does everything that needed it
  if (step.setup === true && answer.status < 300) return;
  run.recorded.push(record(run, { ...step, request: given.request }, answer, body));
}

function callOf(step: Step): Call {
  const [, method = '', path = ''] = /^(\S+) (.*)$/s.exec(step.request) ?? [];
  const { patch, accept, as } = step;
  const body = step.with === undefined ? step.body : applyMergePatch(step.body as JsonObject, step.with);
  const type = patch === undefined ? 'application/json' : patchTypes[patch];
  const headers = {
    ...(body === undefined ? {} : { 'content-type': type }),
    ...(accept === undefined ? {} : { accept: mediaTypes[accept] }),
    ...(as === undefined ? {} : { 'impersonate-user': as.user, 'impersonate-group': as.groups ?? '' }),
    ...step.headers,
  };
  if (body === undefined) return { method, path, headers };
  return { method, path, headers, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) };
}

async function sendUntil(cluster: Cluster, call: Call, step: Step): Promise<Answer> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const answer = await cluster.send(call);
    if (step.until === undefined || Date.now() > deadline) return answer;
    const found = { status: answer.status, body: jsonOf(answer.body.toString()) };
    const isReached = Object.entries(step.until).every(([path, value]) => {
      const at = path === 'status' ? found.status : valueAt(found.body, path);
      return value === '*' ? at !== undefined : JSON.stringify(at) === JSON.stringify(value);
    });
    if (isReached) return answer;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

function watch(run: Run, call: Call, { watch: { events, during = [] } = { events: 0 } }: Step): Promise<Answer> {
  const opened = async () => {
    for (const step of during) await runStep(run, step);
  };
  return run.cluster.stream(call, opened, (lines) => lines >= events);
}

/** The body as it is compared: JSON, the lines of a stream, the fields of protobuf, or text. */
function bodyOf({ headers, body }: Answer, step: Step): unknown {
  const type = headers['content-type'] ?? '';
  if (type.includes('protobuf')) return protobufView(body) ?? `0x${body.toString('hex')}`;
  const text = body.toString();
  if (!type.includes('json')) return text;
  if (step.watch === undefined) return jsonOf(text);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .slice(0, step.watch.events)
    .map(jsonOf);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** `metadata.labels.app`; a part with dots stands in brackets, `*` is every item. */
function valueAt(value: unknown, path: string): unknown {
  let at = value;
  for (const part of partsOf(path)) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = (at as Record<string, unknown>)[part];
  }
  return at;
}

const partsOf = (path: string) =>
  [...path.matchAll(/\[([^\]]+)\]|([^.[]+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

/** Remembers what was made outside the namespace, which goes by itself. */
function note({ made, variables }: Run, { method, path }: Call, { status }: Answer, body: unknown): void {
  const [plain = '', query = ''] = path.split('?');
  if (status !== 201 || query.includes('dryRun') || plain.startsWith(`${String(variables['core'])}/`)) return;
  if (plain.includes(`/namespaces/${String(variables['ns'])}/`)) return;
  const name = isJsonObject(body) ? valueAt(body, 'metadata.name') : undefined;
  if (method === 'PATCH') made.push(plain);
  if (method === 'POST' && typeof name === 'string' && name !== '') made.push(`${plain}/${encodeURIComponent(name)}`);
}

function record({ scenario, mask }: Run, step: Step, answer: Answer, body: unknown): Recorded {
  const headers = keptHeaders.flatMap((name) => {
    const value = answer.headers[name];
    return value === undefined ? [] : [[name, mask.text(String(value))]];
  });
  const shown = maskedPaths(chosenParts(mask.value(body), step), step);
  return {
    scenario: scenario.name,
    request: step.request,
    status: answer.status,
    headers: Object.fromEntries(headers) as Record<string, string>,
    ...(answer.warnings.length === 0 ? {} : { warnings: answer.warnings.map((text) => mask.text(text)) }),
    ...(shown === '' ? {} : { body: shown }),
  };
}

/** An error is compared whole, whichever parts of a success are. */
function chosenParts(body: unknown, { only }: Step): unknown {
  if (only === undefined || (isJsonObject(body) && body['kind'] === 'Status')) return body;
  return Object.fromEntries(only.map((path) => [path, valueAt(body, path)]));
}

function maskedPaths(body: unknown, { mask = [], unordered = [] }: Step): unknown {
  for (const path of mask) changeAt(body, partsOf(path), () => '<masked>');
  for (const path of unordered)
    changeAt(body, partsOf(path), (list) =>
      (list as unknown[]).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    );
  return body;
}

function changeAt(value: unknown, [first, ...rest]: readonly string[], change: (value: unknown) => unknown): void {
  if (typeof value !== 'object' || value === null || first === undefined) return;
  const members = value as Record<string, unknown>;
  for (const key of first === '*' ? Object.keys(members) : [first]) {
    if (members[key] === undefined) continue;
    if (rest.length > 0) changeAt(members[key], rest, change);
    else members[key] = change(members[key]);
  }
}
