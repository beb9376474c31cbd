// A path is what the signatures say, never what was sent along.

import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Certificate, readCertificate } from '../codec/certificate.ts';
import { utf8 } from '../pki/der.ts';
import {
  costlyChain,
  extension,
  type ForgeOptions,
  forge,
  type Holder,
  hostName,
  isAuthority,
  newHolder,
  onlyHosts,
  onlySubjects,
  personOf,
  purpose,
  signsCertificates,
  signsData,
} from '../testing/forged-certificates.ts';
import { fuzzRuns } from '../testing/fuzz-runs.ts';
import { expectProcessorTime } from '../testing/processor-time.ts';
import { Authorities, findPath } from './certificate-path.ts';

const day = 24 * 60 * 60 * 1000;
const now = Date.now();
const authority = [isAuthority(), signsCertificates];
const root = (holder: Holder, options: ForgeOptions = {}) =>
  forge(holder, holder, { extensions: authority, ...options });
const bundle = (...ders: { der: Buffer }[]) => new Authorities(ders.map(({ der }) => readCertificate(der)));
type Made = { readonly der: Buffer };

const users = newHolder('users');
const proxies = newHolder('proxies');
const person = newHolder(personOf('ann', 'devs'));
const middle = newHolder('middle');

function path(authorities: Authorities, [leaf, ...others]: readonly [Made, ...Made[]], at = now) {
  const read = others.map(({ der }) => readCertificate(der));
  return findPath({ leaf: readCertificate(leaf.der), others: read }, authorities, at);
}
const leads = (...args: Parameters<typeof path>) => path(...args) !== undefined;

describe('a path leads', () => {
  const roots = { users: root(users), proxies: root(proxies) };
  const holders = { users, proxies };
  const names = ['users', 'proxies'] as const;

  test.each(
    names.flatMap((signer) => names.flatMap((believed) => names.map((along) => [signer, believed, along] as const))),
  )(
    'from a certificate by %s to %s only where these are the same, whichever CA is sent along: %s',
    (signer, believed, along) => {
      const leaf = forge(person, holders[signer]);
      expect(leads(bundle(roots[believed]), [leaf, roots[along]])).toBe(signer === believed);
      expect(leads(bundle(roots[believed]), [leaf, roots.users, roots.proxies])).toBe(signer === believed);
      expect(leads(bundle(roots.users, roots.proxies), [leaf, roots[along]])).toBe(true);
    },
  );

  test('by way of intermediates in any order, and among others', () => {
    const second = newHolder('second');
    const chain = [
      forge(middle, users, { extensions: authority }),
      forge(second, middle, { extensions: authority }),
      root(newHolder('unrelated')),
      root(proxies),
      root(middle),
    ];
    const leaf = forge(person, second);
    for (const others of [chain, chain.toReversed()]) {
      expect(leads(bundle(roots.users), [leaf, ...others])).toBe(true);
      expect(leads(bundle(roots.proxies), [leaf, ...others])).toBe(false);
    }
    expect(leads(bundle(roots.users), [leaf, ...chain.slice(1)])).toBe(false);
  });

  test('by way of either of two cross-signed CAs, each to its own root', () => {
    const crossed = [
      forge(middle, users, { extensions: authority }),
      forge(middle, proxies, { extensions: authority }),
    ];
    const leaf = forge(person, middle);
    for (const others of [crossed, crossed.toReversed()])
      for (const one of [roots.users, roots.proxies]) expect(leads(bundle(one), [leaf, ...others])).toBe(true);
    expect(leads(bundle(roots.proxies), [leaf, crossed[0] as Made])).toBe(false);
  });

  test('to a CA that signed itself, another or none', () => {
    const leaf = forge(person, middle);
    expect(leads(bundle(forge(middle, users, { extensions: authority })), [leaf])).toBe(true);
    expect(leads(bundle(roots.users), [leaf, root(middle)])).toBe(false);
  });

  test('nowhere from a CA of the same name with another key', () => {
    const impostor = { ...newHolder('users') };
    expect(leads(bundle(roots.users), [forge(person, impostor), root(impostor)])).toBe(false);
  });

  test('a trusted certificate needs no path, as in Go', () => {
    const alone = forge(person, person);
    expect(leads(bundle(alone), [alone])).toBe(true);
    expect(leads(bundle(alone), [forge(newHolder('mallory'), person)])).toBe(false);
  });
});

describe('every step', () => {
  const believed = bundle(root(users));
  const by = (extensions: ForgeOptions['extensions'], options: ForgeOptions = {}) =>
    forge(middle, users, { extensions: extensions ?? [], ...options });
  const leaf = forge(person, middle, { extensions: [purpose('client')] });

  test.each<[string, boolean, Made]>([
    ['a CA that may sign certificates', true, by(authority)],
    ['a CA that does not say what it may', true, by([isAuthority()])],
    ['no CA', false, by([signsCertificates])],
    ['without extensions', false, by([])],
    ['without extensions, from before there were any', false, by([], { version: 1 })],
    ['a CA that may sign data only', false, by([isAuthority(), signsData])],
    ['a CA for servers', false, by([...authority, purpose('server')])],
    ['a CA for clients', true, by([...authority, purpose('client', 'server')])],
    ['a CA for any purpose', true, by([...authority, purpose('any')])],
    ['a CA that has ended', false, by(authority, { until: now - 1000 })],
    ['a CA that has not begun', false, by(authority, { from: now + day / 2 })],
    ['a CA that demands what is not understood', false, by([...authority, extension('1.2.3.4', true, utf8('x'))])],
    ['a CA that mentions what is not understood', true, by([...authority, extension('1.2.3.4', false, utf8('x'))])],
    ['a CA for hosts of a domain', true, by([...authority, onlyHosts('example.com')])],
    ['a CA for some subjects', false, by([...authority, onlySubjects(personOf('ann', 'devs'))])],
    ['a CA for some subjects, by the way', false, by([...authority, onlySubjects(personOf('ann', 'devs'), false)])],
    ['a CA with a signature that is too weak', false, by(authority, { hash: 'sha1' })],
  ])('is by %s: %s', (_, expected, issuer) => {
    expect(leads(believed, [leaf, issuer])).toBe(expected);
  });

  test('keeps names that a CA is constrained to where there are none', () => {
    const named = forge(person, middle, { extensions: [hostName('example.com')] });
    expect(leads(believed, [named, by(authority)])).toBe(true);
    expect(leads(believed, [named, by([...authority, onlyHosts('example.com')])])).toBe(false);
  });

  test.each<[string, boolean, Made]>([
    ['for clients', true, forge(person, users, { extensions: [purpose('client')] })],
    ['for any purpose', true, forge(person, users, { extensions: [purpose('any')] })],
    ['for no purpose in particular', true, forge(person, users)],
    ['for servers', false, forge(person, users, { extensions: [purpose('server')] })],
    ['that has ended', false, forge(person, users, { until: now - 1000 })],
    ['that has not begun', false, forge(person, users, { from: now + day / 2 })],
    [
      'that demands what is not understood',
      false,
      forge(person, users, { extensions: [extension('1.2.3', true, utf8('x'))] }),
    ],
  ])('begins with a certificate %s: %s', (_, expected, own) => {
    expect(leads(believed, [own])).toBe(expected);
  });

  test.each<[string, boolean, Made]>([
    ['a CA', true, root(users)],
    ['from before there were extensions', true, root(users, { extensions: [], version: 1 })],
    ['no CA', false, root(users, { extensions: [signsCertificates] })],
    ['a CA that may sign data only', false, root(users, { extensions: [isAuthority(), signsData] })],
    ['a CA that has ended', false, root(users, { until: now - 1000 })],
    ['a CA for servers', false, root(users, { extensions: [...authority, purpose('server')] })],
    ['a CA for some subjects', false, root(users, { extensions: [...authority, onlySubjects(personOf('x'))] })],
  ])('ends with %s: %s', (_, expected, last) => {
    expect(leads(bundle(last), [forge(person, users)])).toBe(expected);
  });

  test('counts towards the length that a CA allows', () => {
    const sent = (length: number) => [forge(middle, users, { extensions: [isAuthority(length)] })] as const;
    const second = forge(newHolder('x'), middle, { extensions: authority });
    expect(leads(believed, [leaf, ...sent(0)])).toBe(true);
    expect(leads(bundle(root(users, { extensions: [isAuthority(0)] })), [leaf, by(authority)])).toBe(false);
    expect(leads(bundle(root(users, { extensions: [isAuthority(1)] })), [leaf, by(authority)])).toBe(true);
    const third = newHolder('third');
    const below = [forge(third, middle, { extensions: authority }), second] as const;
    expect(leads(believed, [forge(person, third), ...below, ...sent(0)])).toBe(false);
    expect(leads(believed, [forge(person, third), ...below, ...sent(1)])).toBe(true);
  });
});

describe('time', () => {
  test('of a path is what its certificates share', () => {
    const times = { from: now - 3000, until: now + 4000 };
    const leaf = forge(person, middle, { ...times, from: now - 5000 });
    const issuer = forge(middle, users, { ...times, extensions: authority, until: now + 9000 });
    const second = (ms: number) => Math.floor(ms / 1000) * 1000;
    expect(path(bundle(root(users)), [leaf, issuer])).toEqual({
      notBefore: second(now - 3000),
      notAfter: second(now + 4000),
    });
    expect(leads(bundle(root(users)), [leaf, issuer], now + 5000)).toBe(false);
    expect(leads(bundle(root(users)), [leaf, issuer], now - 5000)).toBe(false);
  });

  test('makes another path count when one has ended', () => {
    const short = forge(middle, users, { extensions: authority, until: now + 1000 });
    const long = forge(middle, users, { extensions: authority });
    const sent = [forge(person, middle), short, long] as const;
    expect(leads(bundle(root(users)), sent, now + 5000)).toBe(true);
  });
});

describe('a search', () => {
  /** CAs that all sign each other: every order of them is a path that might lead somewhere. */
  function web(holders: readonly Holder[]): Made[] {
    return holders.flatMap((issuer) =>
      holders.filter((one) => one !== issuer).map((one) => forge(one, issuer, { extensions: authority })),
    );
  }

  test('through CAs that sign each other comes to an end', async () => {
    const holders = Array.from({ length: 6 }, (_, i) => newHolder(`ca-${i}`));
    const others = web(holders);
    const leaf = forge(person, holders[0] as Holder);
    const cas = bundle(root(users));
    await expectProcessorTime(500, () => expect(leads(cas, [leaf, ...others])).toBe(false));
    expect(leads(bundle(root(holders[0] as Holder)), [leaf, ...others])).toBe(true);
  });

  test('through hundreds of CAs with the same name comes to an end', async () => {
    const others = Array.from({ length: 200 }, () => root(newHolder('middle')));
    const [cas, leaf] = [bundle(root(users)), forge(person, middle)];
    await expectProcessorTime(500, () => expect(leads(cas, [leaf, ...others])).toBe(false));
  });

  test('does not check signatures of keys that make it slow', async () => {
    const [leaf, issuer] = certificatesOf(costlyChain(2).certificate);
    const others = Array.from({ length: 32 }, () => issuer as Certificate);
    const sent = { leaf: leaf as Certificate, others };
    await expectProcessorTime(50, () => expect(findPath(sent, bundle(root(users)), now)).toBeUndefined());
  });
});

const certificatesOf = (text: string) =>
  text
    .match(/-----BEGIN[^-]+-----([^-]+)/g)
    ?.map((block) => readCertificate(new X509Certificate(`${block}-----END CERTIFICATE-----`).raw)) ?? [];

describe('bytes', () => {
  const made = forge(person, users, { extensions: [purpose('client'), hostName('a.b')] });
  const believed = bundle(root(users));

  test('that were changed are no certificate, or one that leads nowhere', () => {
    const changes = fc.array(fc.tuple(fc.nat(made.der.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(changes, fc.nat(made.der.length), (all, end) => {
        const bytes = Buffer.from(made.der.subarray(0, Math.max(end, 1)));
        for (const [at, value] of all) if (at < bytes.length) bytes[at] = value;
        if (bytes.equals(made.der)) return;
        expect(pathOrNone(bytes)).toBeUndefined();
      }),
      fuzzRuns(500),
    );
  });

  function pathOrNone(bytes: Buffer) {
    let leaf: ReturnType<typeof readCertificate>;
    try {
      leaf = readCertificate(bytes);
    } catch (error) {
      expect(error).toBeInstanceOf(Error);
      return undefined;
    }
    return findPath({ leaf, others: [] }, believed, now);
  }

  test('that say the same thing twice are no certificate', () => {
    const twice = forge(person, users, { extensions: [isAuthority(), extension('2.5.29.19', true, utf8(''))] });
    expect(() => readCertificate(twice.der)).toThrow();
  });

  test('that go on after the end are no certificate', () => {
    expect(() => readCertificate(Buffer.concat([made.der, Buffer.from([0])]))).toThrow();
  });
});
