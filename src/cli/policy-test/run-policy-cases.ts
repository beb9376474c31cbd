// Runs the cases of a table, each on a server that has the policies and nothing of the cases before.

import { isJsonObject, isSameJson, type JsonObject } from '../../base/json/json.ts';
import { authenticated } from '../../meta/user.ts';
import { inApplyOrder } from '../manifests/apply-order.ts';
import { type LocalAnswer, LocalServer, type ObjectPath } from '../manifests/local-server.ts';
import type { PolicyCase, PolicyTable } from './policy-cases.ts';

export interface CaseResult {
  readonly name: string;
  readonly line: number;
  /** Undefined for a case that passed. */
  readonly problem: string | undefined;
}

export async function runPolicyCases({ policies, manifests, cases }: PolicyTable): Promise<readonly CaseResult[]> {
  const server = await LocalServer.open({ authorizationModes: ['AlwaysAllow'] });
  try {
    for (const object of inApplyOrder(manifests)) {
      await create(server, object.value);
      await server.definitionServed(object);
    }
    const restore = server.checkpoint();
    const results: CaseResult[] = [];
    for (const one of cases) {
      await restore();
      results.push({
        name: one.name,
        line: one.line,
        problem: await problemOf(
          server,
          one,
          policies.map(({ value }) => value),
        ),
      });
    }
    return results;
  } finally {
    await server.close();
  }
}

/** Policies come last: what a case begins with is not subject to them. */
async function problemOf(
  server: LocalServer,
  one: PolicyCase,
  policies: readonly JsonObject[],
): Promise<string | undefined> {
  try {
    await makeNamespace(server, one);
    for (const params of one.params) await create(server, params);
    const before = one.oldObject && (await create(server, one.oldObject));
    for (const policy of policies) await create(server, policy);
    return mismatch(one, await send(server, one, before));
  } catch (error) {
    return (error as Error).message;
  }
}

const namespaceOf = (object: JsonObject | undefined): string =>
  String(((object?.['metadata'] ?? {}) as JsonObject)['namespace'] ?? 'default');

async function makeNamespace(
  server: LocalServer,
  { object, oldObject, namespaceLabels: labels }: PolicyCase,
): Promise<void> {
  const name = namespaceOf(object ?? oldObject);
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  await server.send({ method: 'POST', path: '/api/v1/namespaces', body });
  const contentType = 'application/merge-patch+json';
  const patch = { metadata: { labels } };
  accepted(
    await server.send({ method: 'PATCH', path: `/api/v1/namespaces/${name}`, body: patch, contentType }),
    'Namespace',
  );
}

async function create(server: LocalServer, value: JsonObject): Promise<JsonObject> {
  const { collection } = pathOf(server, value);
  const answer = await server.send({ method: 'POST', path: collection, body: value, returnsObject: true });
  return accepted(answer, String(value['kind'])) as JsonObject;
}

function accepted({ status, body }: LocalAnswer, kind: string): LocalAnswer['body'] {
  if (status >= 300) throw new Error(`${kind} of the test is refused: ${String(body['message'])}`);
  return body;
}

function pathOf(server: LocalServer, { apiVersion, kind, metadata }: JsonObject): ObjectPath {
  const { name = '', namespace } = isJsonObject(metadata) ? metadata : {};
  const identity = { apiVersion: String(apiVersion), kind: String(kind), name: String(name) };
  const path = server.pathOf({ ...identity, namespace: namespace === undefined ? undefined : String(namespace) });
  if (path === undefined) throw new Error(`${String(kind)} of ${String(apiVersion)} is not served`);
  return path;
}

/** A create, an update where there is an old object, a delete where there is nothing else. */
async function send(server: LocalServer, one: PolicyCase, before: JsonObject | undefined): Promise<LocalAnswer> {
  const user = authenticated(one.user);
  const { object } = one;
  const path = pathOf(server, (object ?? before) as JsonObject);
  const common = { user, returnsObject: true } as const;
  if (object === undefined) return server.send({ method: 'DELETE', path: `${path.object}?dryRun=All`, ...common });
  if (before === undefined)
    return server.send({ method: 'POST', path: `${path.collection}?dryRun=All`, body: object, ...common });
  const { resourceVersion = '' } = before['metadata'] as { resourceVersion?: string };
  const body = { ...object, metadata: { ...(object['metadata'] as JsonObject), resourceVersion } };
  return server.send({ method: 'PUT', path: `${path.object}?dryRun=All`, body, ...common });
}

const refusalOfPolicy = /olicy '?.* denied request/s;

function mismatch(one: PolicyCase, { status, body, warnings }: LocalAnswer): string | undefined {
  const message = String(body['message'] ?? '');
  if (status >= 300 && !refusalOfPolicy.test(message)) return `refused for another reason: ${message}`;
  const outcome = status < 300 ? 'allow' : 'deny';
  if (outcome !== one.expect) return `expected ${one.expect}, got ${outcome}${message === '' ? '' : `: ${message}`}`;
  if (one.message !== undefined && !message.includes(one.message))
    return `expected a message with ${JSON.stringify(one.message)}, got ${JSON.stringify(message)}`;
  const missing = one.warnings.find((text) => !warnings.some((warning) => warning.includes(text)));
  if (missing !== undefined)
    return `expected a warning with ${JSON.stringify(missing)}, got ${JSON.stringify(warnings)}`;
  const difference = one.result && firstDifference(one.result, body as JsonObject, '');
  return difference === undefined ? undefined : `the object after policies: ${difference}`;
}

/** Members of `part` must be in `whole`; lists are compared as a whole. */
function firstDifference(part: unknown, whole: unknown, path: string): string | undefined {
  if (!isJsonObject(part) || !isJsonObject(whole))
    return isSameJson(part, whole)
      ? undefined
      : `${path} is ${JSON.stringify(whole)}, expected ${JSON.stringify(part)}`;
  for (const [key, value] of Object.entries(part)) {
    const difference = firstDifference(value, whole[key], path === '' ? key : `${path}.${key}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}
