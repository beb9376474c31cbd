import { expect, test } from 'vitest';
import { timeout } from '../meta/status.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import { RequestPace } from './request-pace.ts';
import { requestFor } from './testing.ts';

const definition = { kind: 'ConfigMap', plural: 'configmaps' } as ResourceDefinition;

test('a rest throws what ended the request meanwhile', async () => {
  const controller = new AbortController();
  const pace = new RequestPace(requestFor({ definition, signal: controller.signal }));
  await pace.rest();
  const rest = pace.rest();
  controller.abort(timeout('too late'));
  await expect(rest).rejects.toThrow('too late');
});

test('a rest throws a timeout where the client left', async () => {
  const controller = new AbortController();
  const rest = new RequestPace(requestFor({ definition, signal: controller.signal })).rest();
  controller.abort();
  await expect(rest).rejects.toThrow('request did not complete within requested timeout');
});
