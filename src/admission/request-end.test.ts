import { expect, test } from 'vitest';
import { timeout } from '../meta/status.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import { throwIfEnded } from './request-end.ts';
import { requestFor } from './testing.ts';

const definition = { kind: 'ConfigMap', plural: 'configmaps' } as ResourceDefinition;

test('a request that goes on throws nothing', () => {
  expect(() => throwIfEnded(requestFor({ definition, signal: new AbortController().signal }))).not.toThrow();
});

test('a request that has ended throws why', () => {
  const signal = AbortSignal.abort(timeout('too late'));
  expect(() => throwIfEnded(requestFor({ definition, signal }))).toThrow('too late');
});

test('a request whose client left throws a timeout', () => {
  const request = requestFor({ definition, signal: AbortSignal.abort() });
  expect(() => throwIfEnded(request)).toThrow('request did not complete within requested timeout');
});
