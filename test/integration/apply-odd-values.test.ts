// Applied values that fit by their form and are still no values of their type, in the words of kube-apiserver 1.36.4.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf, configMaps } from './api.ts';

let server: Server;
let api: Api;
beforeAll(async () => {
  server = await startTestServer({ listen: false });
  api = apiOf(server);
});
afterAll(() => server.close());

const parsing = 'parsing time "abc" as "2006-01-02T15:04:05Z07:00": cannot parse "abc" as "2006"';

test.each<[object, object, string]>([
  [{ generation: 1.5 }, {}, 'cannot convert float64 to int64'],
  [{ creationTimestamp: 'abc' }, {}, parsing],
  [{}, { binaryData: { a: '!!!' } }, 'error decoding from json: illegal base64 data at input byte 0'],
])('metadata %j with %j cannot be applied', async (metadata, fields, problem) => {
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ...metadata }, ...fields };
  const type = { 'content-type': 'application/apply-patch+yaml' };
  const answer = await api.call('PATCH', `${configMaps}/a?fieldManager=x`, config, type);
  const message: string = answer.body.message;
  expect(answer.status).toBe(500);
  expect(message.replace(/.*to proper version: /, '')).toBe(
    `unable to convert unstructured object to /v1, Kind=ConfigMap: ${problem}`,
  );
});
