import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type PeerCertificate, type TLSSocket } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { belongsTogether, createAuthority, type KeyPair, type LeafRequest, signLeaf } from './certificates.ts';

const now = Date.parse('2030-01-01T00:00:00Z');
const day = 24 * 60 * 60 * 1000;
const read = ({ certificate }: KeyPair) => new X509Certificate(certificate);

const authority = createAuthority('test-ca', now);
const ca = read(authority);
const hosts = ['localhost', 'keelson.default.svc', '127.0.0.1', '10.0.0.1', '::1', '2001:db8::ff00:42:8329', 'fe80::1'];
const servingRequest: LeafRequest = { usage: 'server', commonName: 'keelson', hosts };
const clientRequest: LeafRequest = { usage: 'client', commonName: 'alice', organizations: ['devs', 'system:masters'] };
const serving = signLeaf(authority, servingRequest, now);
const client = signLeaf(authority, clientRequest, now);

describe('an authority', () => {
  test('signs itself, and may sign others', () => {
    expect(ca.verify(ca.publicKey)).toBe(true);
    expect(ca.ca).toBe(true);
    expect([ca.subject, ca.issuer]).toEqual(['CN=test-ca', 'CN=test-ca']);
  });

  test('lasts ten years, from an hour ago', () => {
    expect(Date.parse(ca.validFrom)).toBe(now - day / 24);
    expect(Date.parse(ca.validTo)).toBe(now + 3650 * day);
  });

  test('has a serial number of its own, positive and not zero', () => {
    const serials = Array.from({ length: 20 }, () => read(createAuthority('x', now)).serialNumber);
    expect(new Set(serials).size).toBe(20);
    for (const serial of serials) expect(serial).toMatch(/^[4-7][0-9A-F]{31}$/);
  });

  test('with a long and foreign name keeps it', () => {
    const name = `Authorité ${'x'.repeat(200)}`;
    const other = createAuthority(name, now);
    const leaf = read(signLeaf(other, clientRequest, now));
    expect(read(other).verify(read(other).publicKey)).toBe(true);
    expect(leaf.checkIssued(read(other))).toBe(true);
  });

  test('may outlive 2049', () => {
    const late = createAuthority('late', Date.parse('2045-06-01T00:00:00Z'));
    expect(new Date(read(late).validTo).getUTCFullYear()).toBe(2055);
  });
});

describe.each([
  ['a serving certificate', serving],
  ['a client certificate', client],
])('%s', (_, pair) => {
  const leaf = read(pair);

  test('is signed by its authority and by no other', () => {
    expect(leaf.verify(ca.publicKey)).toBe(true);
    expect(leaf.checkIssued(ca)).toBe(true);
    expect(leaf.verify(read(createAuthority('test-ca', now)).publicKey)).toBe(false);
  });

  test('may not sign others', () => {
    expect(leaf.ca).toBe(false);
  });

  test('lasts a year', () => {
    expect(Date.parse(leaf.validTo)).toBe(now + 365 * day);
  });

  test('belongs to its key and to no other', () => {
    expect(belongsTogether(pair)).toBe(true);
    expect(belongsTogether({ ...pair, privateKey: authority.privateKey })).toBe(false);
  });

  test('is PEM with lines of 64', () => {
    expect(pair.certificate).toMatch(
      /^-----BEGIN CERTIFICATE-----\n([\w+/]{64}\n)*[\w+/]{1,64}={0,2}\n-----END CERTIFICATE-----\n$/,
    );
    expect(pair.privateKey).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
  });
});

describe('a serving certificate', () => {
  const leaf = read(serving);

  test.each(hosts.filter((host) => /[a-z]{4}/.test(host) && !host.includes(':')))('is good for %s', (host) => {
    expect(leaf.checkHost(host)).toBe(host);
  });

  test.each(hosts.filter((host) => /^[\d.]+$|:/.test(host)))('is good for the address %s', (address) => {
    expect(leaf.checkIP(address)).toBeDefined();
  });

  test.each(['0:0:0:0:0:0:0:1', '2001:0db8:0000:0000:0000:ff00:0042:8329'])(
    'knows %s in another spelling',
    (address) => {
      expect(leaf.checkIP(address)).toBeDefined();
    },
  );

  test('is good for nothing else', () => {
    for (const host of ['example.com', 'keelson', 'default.svc']) expect(leaf.checkHost(host)).toBeUndefined();
    for (const address of ['127.0.0.2', '::2', '2001:db8::']) expect(leaf.checkIP(address)).toBeUndefined();
  });

  test.each(['1:2:3:4:5:6:7:8', '::', '1::', '::8', 'ABCD:EF01::'])('can be made for the address %s', (address) => {
    const made = signLeaf(authority, { usage: 'server', commonName: 'x', hosts: [address] }, now);
    expect(read(made).checkIP(address)).toBeDefined();
  });

  // the dotted part is read as one hexadecimal number
  test('can be made for an IPv4 address in IPv6 clothes', () => {
    const address = '::ffff:10.1.2.3';
    const made = signLeaf(authority, { usage: 'server', commonName: 'x', hosts: [address] }, now);
    expect(read(made).checkIP(address)).toBeDefined();
  });
});

test('a client certificate has the name and the groups of its user', () => {
  expect(read(client).subject.split('\n')).toEqual(['O=devs', 'O=system:masters', 'CN=alice']);
});

test('purposes are not mixed up', () => {
  expect(read(serving).keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  expect(read(client).keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
});

test('both sides of a connection trust each other', async () => {
  const today = createAuthority('today-ca', Date.now());
  const server = signLeaf(today, servingRequest, Date.now());
  const user = signLeaf(today, clientRequest, Date.now());
  const trusted = { ca: today.certificate };
  const listener = createServer(
    { ...trusted, cert: server.certificate, key: server.privateKey, requestCert: true, rejectUnauthorized: true },
    (socket) => socket.end(),
  );
  const accepted = once(listener, 'secureConnection') as Promise<[TLSSocket]>;
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const socket = connect({ ...trusted, host: '127.0.0.1', port, cert: user.certificate, key: user.privateKey });
  await once(socket, 'secureConnect');
  const [peer] = await accepted;
  expect([socket.authorized, peer.authorized]).toEqual([true, true]);
  const { subject } = peer.getPeerCertificate() as PeerCertificate;
  expect(subject).toMatchObject({ CN: 'alice', O: ['devs', 'system:masters'] });
  socket.destroy();
  listener.close();
  await once(listener, 'close');
});
