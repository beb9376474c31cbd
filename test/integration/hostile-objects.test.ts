// No object may keep other clients waiting, whatever its kind allows to be long: rules look at each part once, say no more
// than a client reads, and rest in between.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HostileRequest, type HostileServer, maxWaitMs, startHostileServer } from './hostile-bodies.ts';
import {
  bodyOf,
  dataShapes,
  type HostileShape,
  metadataShapes,
  networkShapes,
  podShapes,
  queryShapes,
  ruleShapes,
  workloadShapes,
} from './hostile-shapes.ts';

let server: HostileServer;
beforeAll(async () => {
  server = await startHostileServer('--enable-admission-plugins=OwnerReferencesPermissionEnforcement');
});
afterAll(() => server.close());

/** Stored under a name of its own in each attempt; what cannot have one is only tried. */
function requestOf(shape: HostileShape): HostileRequest {
  const body = bodyOf(shape);
  if (body === undefined) return { method: 'GET', path: shape.path };
  const named = body.replace('"metadata":{"name":"large"', '"metadata":{"generateName":"large-"');
  return { path: named === body ? `${shape.path}?dryRun=All` : shape.path, body: named };
}

/** Validation errors are bounded, in number and in length. */
const longestRefusal = 1_500_000;

describe('another client is answered within 150 ms, while the server has', () => {
  const all = [
    ...metadataShapes,
    ...dataShapes,
    ...podShapes,
    ...workloadShapes,
    ...networkShapes,
    ...ruleShapes,
    ...queryShapes,
  ];
  test.each(all)('$title', async (shape) => {
    const request = requestOf(shape);
    const answer = await server.bestBeside(() => request);
    expect(answer.status, answer.body.slice(0, 500)).toBeLessThan(500);
    if (answer.status === 422) expect(answer.body.length).toBeLessThan(longestRefusal);
    expect(answer.longestWaitMs).toBeLessThan(maxWaitMs);
  });
});
