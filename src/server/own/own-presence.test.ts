import { X509Certificate } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { kubernetes } from '../../meta/dialect.ts';
import { createAuthority, signLeaf } from '../../pki/certificates.ts';
import type { ObjectAccess } from '../../schema/object-access.ts';
import { isThisMachine, OwnPresence, ownServers } from './own-presence.ts';

const now = Date.now();
const authority = createAuthority('ca', now);
const pairFor = (...hosts: string[]) => signLeaf(authority, { usage: 'server', commonName: 'x', hosts }, now);

describe('this machine', () => {
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const said = ['127.0.0.1', '127.255.255.254', '::1', '0.0.0.0', '::', '::ffff:127.0.0.1', '::ffff:0.0.0.0'];

  test.each([...said, ...own.map(({ address }) => address)])('is reached at %s', (address) => {
    expect(isThisMachine(address)).toBe(true);
  });

  test('is reached at addresses of its links, whatever the zone', () => {
    for (const { address } of own.filter(({ family }) => family === 'IPv6'))
      expect(isThisMachine(`${address}%any`)).toBe(true);
    expect(isThisMachine('::1%lo')).toBe(true);
  });

  test('may be what is no address', () => {
    expect(isThisMachine('what')).toBe(true);
  });

  test.each(['192.0.2.1', '2001:db8::1', '::ffff:192.0.2.1'])('is not reached at %s', (address) => {
    expect(isThisMachine(address)).toBe(false);
  });
});

describe('the API servers of a cluster', () => {
  const stored: Readonly<Record<string, object>> = {
    services: { spec: { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1', 'fd00::1'], externalIPs: ['192.0.2.7'] } },
    endpoints: { subsets: [{ addresses: [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }], ports: [{ port: 6443 }] }] },
  };
  const objects = {
    get: async ({ resource }: { resource: string }, { namespace, name }: { namespace: string; name: string }) =>
      namespace === 'default' && name === 'kubernetes' ? stored[resource] : undefined,
  } as unknown as ObjectAccess;
  const presence = new OwnPresence();
  const servers = ownServers(presence, objects, kubernetes);
  const serving = pairFor('127.0.0.1');
  const named = { ...pairFor('api.example.com'), names: ['api.example.com'] };

  test('are nowhere while none listens, but at their service', async () => {
    const none = ownServers(new OwnPresence(), objects, kubernetes);
    expect(await none.areReachedAt('127.0.0.1', 6443)).toBe(false);
    expect(await none.areReachedAt('10.0.0.1', 443)).toBe(true);
  });

  test.each([
    ['this one', '127.0.0.1', 7443, true],
    ['another port of this machine', '127.0.0.1', 7444, false],
    ['the service', '10.0.0.1', 443, true],
    ['the service in the other family, wrapped or not', 'fd00:0::1', 443, true],
    ['the service, wrapped', '::ffff:10.0.0.1', 443, true],
    ['the service from outside', '192.0.2.7', 443, true],
    ['a replica', '192.0.2.2', 6443, true],
    ['an agent next to a replica', '192.0.2.2', 10250, false],
    ['others', '192.0.2.3', 6443, false],
  ])('are asked about %s', async (_, address, port, isOwn) => {
    presence.listensAt([7443]);
    expect(await servers.areReachedAt(address, port)).toBe(isOwn);
  });

  test('are known by their keys and by their name, not by names that others have too', () => {
    presence.shows({ ...serving, named: [named], clientCa: [] });
    const knows = ({ certificate }: { certificate: string }) => servers.serveWith(new X509Certificate(certificate));
    expect(knows(serving)).toBe(true);
    expect(knows(named)).toBe(true);
    expect(knows(pairFor('localhost', 'kubernetes.default.svc'))).toBe(true);
    expect(knows(pairFor('127.0.0.1', 'localhost', 'api.example.com', '*.default.svc'))).toBe(false);
  });

  test('stay known by a key after it was replaced', () => {
    presence.shows({ ...pairFor('127.0.0.1'), named: [], clientCa: [] });
    expect(servers.serveWith(new X509Certificate(serving.certificate))).toBe(true);
  });
});
