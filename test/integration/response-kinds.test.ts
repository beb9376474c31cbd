// The kinds that aggregated discovery says resources answer with, compared with those of a reference server 1.36.4.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { apiOf } from './api.ts';

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface Found {
  readonly resource?: string;
  readonly subresource?: string;
  readonly responseKind?: Kind;
  readonly subresources?: readonly Found[];
}

interface Group {
  readonly metadata: { readonly name?: string };
  readonly versions: readonly { readonly version: string; readonly resources?: readonly Found[] }[];
}

const golden = new URL('../golden/response-kinds.json', import.meta.url);
const expected = JSON.parse(readFileSync(golden, 'utf8')) as Readonly<Record<string, string>>;
const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

let server: Server;
beforeAll(async () => {
  server = await startTestServer({ listen: false, controllers: [] });
});
afterAll(() => server.close());

const shown = (found: Found): string =>
  found.responseKind === undefined
    ? 'none'
    : `${found.responseKind.group}/${found.responseKind.version} ${found.responseKind.kind}`;

/** What a resource and its subresources answer with, by their paths. */
function* kindsOf(path: string, found: Found): Generator<readonly [string, string]> {
  const own = `${path}/${found.resource ?? found.subresource}`;
  yield [own, shown(found)];
  for (const one of found.subresources ?? []) yield* kindsOf(own, one);
}

const kindsOfGroup = ({ metadata, versions }: Group) =>
  versions.flatMap(({ version, resources = [] }) =>
    resources.flatMap((one) => [...kindsOf(`${metadata.name ?? ''}/${version}`, one)]),
  );

test('every resource and subresource says the kind that the reference says', async () => {
  const roots = await Promise.all(['/api', '/apis'].map((path) => apiOf(server).get(path, { accept })));
  const found = roots.flatMap(({ body }) => (body.items as readonly Group[]).flatMap(kindsOfGroup));
  expect(Object.fromEntries(found)).toEqual(expected);
  expect(found.length).toBe(Object.keys(expected).length);
});
