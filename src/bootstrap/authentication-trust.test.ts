import { describe, expect, test } from 'vitest';
import { createAuthority } from '../pki/certificates.ts';
import { mergeTrust } from './authentication-trust.ts';

const now = Date.parse('2030-01-01T00:00:00Z');
const day = 24 * 60 * 60 * 1000;
const caOf = (name: string, at = now) => createAuthority(name, at).certificate;

const proxies = {
  ca: caOf('front'),
  allowedNames: ['front-proxy-client'],
  usernameHeaders: ['X-Remote-User'],
  uidHeaders: ['X-Remote-Uid'],
  groupHeaders: ['X-Remote-Group'],
  extraPrefixes: ['X-Remote-Extra-'],
};
const own = { clientCa: caOf('clients'), proxies };

describe('trust of aggregated servers', () => {
  test('is published in the words of kube-apiserver', () => {
    expect(mergeTrust({}, own, now)).toEqual({
      'client-ca-file': own.clientCa,
      'requestheader-client-ca-file': proxies.ca,
      'requestheader-allowed-names': '["front-proxy-client"]',
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-uid-headers': '["X-Remote-Uid"]',
      'requestheader-username-headers': '["X-Remote-User"]',
    });
  });

  test('without proxies is the CA of clients alone', () => {
    expect(mergeTrust({}, { clientCa: own.clientCa, proxies: undefined }, now)).toEqual({
      'client-ca-file': own.clientCa,
    });
  });

  test('without headers for the uid has no such list, and empty lists for the others', () => {
    const some = { ...proxies, uidHeaders: [], groupHeaders: [] };
    const data = mergeTrust({}, { ...own, proxies: some }, now);
    expect(data['requestheader-group-headers']).toBe('[]');
    expect(data).not.toHaveProperty('requestheader-uid-headers');
  });

  test('stands behind what another server has published, and nothing stands there twice', () => {
    const other = {
      clientCa: caOf('their clients'),
      proxies: { ...proxies, ca: caOf('their front'), allowedNames: ['other'] },
    };
    const first = mergeTrust({}, other, now);
    const both = mergeTrust(first, own, now);
    expect(both['client-ca-file']).toBe(other.clientCa + own.clientCa);
    expect(both['requestheader-client-ca-file']).toBe(other.proxies.ca + proxies.ca);
    expect(both['requestheader-allowed-names']).toBe('["other","front-proxy-client"]');
    expect(both['requestheader-group-headers']).toBe('["X-Remote-Group"]');
    expect(mergeTrust(both, own, now)).toEqual(both);
    expect(mergeTrust(both, other, now)).toEqual(both);
  });

  test('drops CAs five minutes after their end', () => {
    const ended = caOf('ended', now - 3650 * day - 4 * 60_000);
    const before = { 'client-ca-file': ended };
    expect(mergeTrust(before, own, now)['client-ca-file']).toBe(ended + own.clientCa);
    expect(mergeTrust(before, own, now + 2 * 60_000)['client-ca-file']).toBe(own.clientCa);
  });

  test('does not keep what cannot be read', () => {
    const broken = {
      'client-ca-file': '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      'requestheader-group-headers': '{"a":1}',
      'requestheader-allowed-names': '[1,"kept"]',
      other: 'key',
    };
    const data = mergeTrust(broken, own, now);
    expect(data['client-ca-file']).toBe(own.clientCa);
    expect(data['requestheader-group-headers']).toBe('["X-Remote-Group"]');
    expect(data['requestheader-allowed-names']).toBe('["kept","front-proxy-client"]');
    expect(data).not.toHaveProperty('other');
  });
});
