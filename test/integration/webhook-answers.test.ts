// Answers of webhooks, well formed or not, and what kube-apiserver 1.36.4 made of them.
//
// Not among the recorded: text that is no YAML, of which the reader has its own words; documents nested deeper than this
// server reads; redirects, which this server does not follow.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { AdmissionHooks, type HookAnswer, install } from './admission-hooks.ts';
import { type Answer, type Api, apiOf } from './api.ts';

interface Recorded {
  readonly name: string;
  readonly type: 'mutating' | 'validating';
  /** Of the review. */
  readonly version: string;
  /** What the webhook answers; `$UID` and `$AV` stand for what it was asked with. */
  readonly status: number;
  readonly contentType?: string;
  readonly body?: string;
  readonly base64?: string;
  /** What the client of the API got. */
  readonly answer: {
    readonly code: number;
    readonly message?: string;
    readonly reason?: string;
    /** Unless it only repeats the message. */
    readonly details?: object;
    readonly metadata?: object;
    /** Where it is not a failure. */
    readonly status?: string;
    readonly object?: object;
    readonly warnings?: readonly string[];
  };
}

const file = join(import.meta.dirname, '../conformance/webhook-answers.jsonl');
const rows = readFileSync(file, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);

const labelOf = ({ type, version }: Recorded) => `${type}-${version}`;

let server: Server;
let api: Api;
let hooks: AdmissionHooks;
let current: Recorded;
let uid = '';

const answer: HookAnswer = ({ apiVersion, request }, response) => {
  uid = request.uid;
  const { status, contentType, body, base64 } = current;
  const text = body?.replaceAll('$UID', uid).replaceAll('$AV', apiVersion);
  response.writeHead(status, contentType === undefined ? {} : { 'content-type': contentType });
  response.end(text ?? Buffer.from(base64 ?? '', 'base64'));
};

beforeAll(async () => {
  hooks = await AdmissionHooks.open();
  server = await startTestServer({ listen: false, controllers: [] });
  api = apiOf(server);
  for (const type of ['mutating', 'validating'] as const)
    for (const version of ['v1', 'v1beta1']) {
      const t = `${type}-${version}`;
      const more = {
        name: 'hook.example.com',
        admissionReviewVersions: [version],
        objectSelector: { matchLabels: { t } },
      };
      await install(api, type, t, hooks.hook(`/default/${t}`, answer, more));
    }
});
afterAll(async () => {
  await server.close();
  await hooks[Symbol.asyncDispose]();
});

const present = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** What was stored, as far as webhooks change it here. */
function objectOf({ data, metadata: { name, labels, finalizers } }: Answer['body']): object {
  const { t: _, ...added } = labels ?? {};
  return present({
    ...{ data, finalizers },
    labels: Object.keys(added).length === 0 ? undefined : added,
    name: name === 'cm' ? undefined : name,
  });
}

function comparable({ status: code, body, headers }: Answer): object {
  const warnings = headers
    .get('warning')
    ?.split(', 299')
    .map((text, index) => (index === 0 ? text : `299${text}`));
  if (body.kind !== 'Status') return present({ code, object: objectOf(body), warnings });
  const {
    message,
    reason,
    details,
    metadata,
    status,
    code: said,
  } = JSON.parse(JSON.stringify(body).replaceAll(uid, '$UID'));
  const repeats =
    JSON.stringify(details) ===
    JSON.stringify({ causes: [{ message: message.replace(/^Internal error occurred: /, '') }] });
  return present({
    ...{ code: said ?? code, message, reason, details: repeats ? undefined : details, warnings },
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
    status: status === 'Failure' ? undefined : status,
  });
}

test.each(rows.map((row) => [`${row.type} ${row.version}: ${row.name}`, row] as const))('%s', async (_, row) => {
  current = row;
  const object = { metadata: { name: 'cm', labels: { t: labelOf(row) } }, data: { a: '1' } };
  const found = await api.post('/api/v1/namespaces/default/configmaps?dryRun=All', object);
  expect(comparable(found)).toEqual(row.answer);
});
