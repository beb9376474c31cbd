// Rights to parts of the status of device claims.

import { describe, expect, test } from 'vitest';
import type { AccessAttributes } from '../../meta/access.ts';
import { kubernetes } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import { ApiError } from '../../meta/status.ts';
import type { UserInfo } from '../../meta/user.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import { requestFor } from '../testing.ts';
import { claimStatusRights } from './claim-status-rights.ts';

const definition = {
  ...{ group: 'resource.k8s.io', version: 'v1', plural: 'resourceclaims', kind: 'ResourceClaim' },
} as ResourceDefinition;
const claim = (status: object): ApiObject => ({
  ...{ kind: 'ResourceClaim', apiVersion: 'resource.k8s.io/v1', status },
  metadata: { name: 'c', namespace: 'default' },
});
const onNode = (...values: string[]) => ({
  devices: { results: [{ request: 'r', driver: 'd', pool: 'p', device: '1' }] },
  nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values }] }] },
});
const device = (driver: string, more: object = {}) => ({ driver, pool: 'p', device: '1', ...more });
const account = (node?: string): UserInfo => ({
  name: 'system:serviceaccount:default:driver',
  groups: [],
  ...(node === undefined ? {} : { extra: { 'authentication.kubernetes.io/node-name': [node] } }),
});

interface Write {
  readonly next: object;
  readonly old?: object;
  readonly user?: UserInfo;
  readonly verb?: string;
  readonly rights?: readonly string[];
}

/** What was asked, and what the caller is told. */
async function write({ next, old = {}, user = account(), verb = 'update', rights = [] }: Write) {
  const asked: string[] = [];
  const access = {
    decide(question: AccessAttributes) {
      const { subresource, namespace, name, verb: right } = question;
      const text = `${right} ${subresource} ${namespace}/${name}`;
      asked.push(text);
      return { kind: rights.includes(text) ? ('allow' as const) : ('noOpinion' as const) };
    },
  };
  const parts = { definition, operation: 'UPDATE', subresource: 'status', verb, user } as const;
  const request = requestFor({ ...parts, object: claim(next), oldObject: claim(old) });
  try {
    await claimStatusRights({ dialect: kubernetes, access }).validate?.(request);
    return { asked, told: [] };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { asked, told: error.details?.causes?.map(({ field, message }) => `${field}: ${message}`) };
  }
}

test('who binds a claim, or says who uses it, needs the right to, in every namespace', async () => {
  const refused = [
    'status: Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="patch" permission: ' +
      'resourceclaims.resource.k8s.io is forbidden: User "system:serviceaccount:default:driver" cannot patch resource ' +
      '"resourceclaims/binding" in API group "resource.k8s.io" at the cluster scope',
  ];
  for (const next of [{ allocation: onNode('n') }, { reservedFor: [{ resource: 'pods', name: 'a', uid: 'b' }] }]) {
    expect(await write({ next, verb: 'patch' })).toEqual({ asked: ['patch binding /'], told: refused });
    expect((await write({ next, rights: ['update binding /'] })).told).toEqual([]);
  }
  expect(await write({ next: { reservedFor: [] } })).toEqual({ asked: [], told: [] });
});

describe('who reports about devices', () => {
  const allocation = onNode('n');
  const old = { allocation, devices: [device('d')] };
  const next = { allocation, devices: [device('d', { data: {} })] };
  const [near, far] = ['associated-node:update driver default/d', 'arbitrary-node:update driver default/d'];

  test.each<[string, Partial<Write>, string[], boolean]>([
    ['on the node itself', { user: account('n'), rights: [near] }, [near], true],
    ['on the node itself, with the wider right', { user: account('n'), rights: [far] }, [near, far], true],
    ['on the node itself, without a right', { user: account('n') }, [near, far], false],
    ['on another node', { user: account('m'), rights: [near] }, [far], false],
    ['on no node', { user: account(), rights: [far] }, [far], true],
    ['as a user who claims to be on the node', { user: { ...account('n'), name: 'u' }, rights: [near] }, [far], false],
    [
      'of an allocation for several nodes',
      {
        next: { ...next, allocation: onNode('n', 'm') },
        old: { ...old, allocation: onNode('n', 'm') },
        user: account('n'),
        rights: [near],
      },
      [far],
      false,
    ],
    ['for the first time', { old: { allocation }, rights: [far] }, [far], true],
    ['nothing any more', { next: { allocation } }, [far], false],
    ['what was said before', { next: old }, [], true],
  ])('%s', async (_, parts, asked, isAllowed) => {
    const answer = await write({ next, old, ...parts });
    expect(answer.asked).toEqual(asked);
    expect(answer.told?.length === 0).toBe(isAllowed);
  });

  test('hears of each driver', async () => {
    const both = { allocation, devices: [device('b'), device('a')] };
    const { told } = await write({ next: both, old: { allocation }, user: account('n') });
    expect(told?.map((text) => text.slice(0, text.indexOf(': resourceclaims')))).toEqual(
      Array.from(
        { length: 2 },
        () =>
          'status.devices: Forbidden: changing status.devices requires resource="resourceclaims/driver", verb="[associated-node:update arbitrary-node:update]" permission',
      ),
    );
    expect(told?.[0]).toContain('resourceclaims.resource.k8s.io "a" is forbidden');
  });

  test('is not who takes the allocation away, with which the reports go', async () => {
    const { asked, told } = await write({ next: {}, old, rights: ['update binding /'] });
    expect([asked, told]).toEqual([['update binding /'], []]);
  });
});
