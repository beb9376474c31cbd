import { X509Certificate } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { finishRotation, nameOf, RotationError, startRotation, switchAuthority } from './authority-files.ts';
import { createAuthority, signLeaf } from './certificates.ts';
import { type Identity, openIdentity, renewLeafs } from './identity.ts';
import { writePair } from './pair-files.ts';

/** Calls that change something on the disk; the one after `left` runs out fails, half-way where it can. */
const disk = vi.hoisted(() => ({ left: Number.POSITIVE_INFINITY }));

// another file in the same worker may have loaded what is tested here, with the real disk
vi.hoisted(() => vi.resetModules());
vi.mock('node:fs', async (original) => {
  const actual = await original<typeof import('node:fs')>();
  const crash = () => new Error('the process ended here');
  const counted =
    <A extends unknown[], R>(call: (...args: A) => R, before?: (...args: A) => void) =>
    (...args: A): R => {
      if (disk.left-- > 0) return call(...args);
      before?.(...args);
      throw crash();
    };
  const half = (path: unknown, content: unknown) =>
    actual.writeFileSync(path as string, String(content).slice(0, String(content).length / 2));
  return {
    ...actual,
    renameSync: counted(actual.renameSync),
    rmSync: counted(actual.rmSync),
    writeFileSync: counted(actual.writeFileSync, half),
  };
});

const now = Date.parse('2030-01-01T00:00:00Z');
const day = 24 * 60 * 60 * 1000;
const hosts = ['localhost', '127.0.0.1'];

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(join(tmpdir(), 'keelson-authorities-'));
});
afterEach(() => {
  disk.left = Number.POSITIVE_INFINITY;
  fs.rmSync(folder, { recursive: true, force: true });
});

const blocks = (pem: string) => pem.match(/-----BEGIN[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
const names = ({ ca }: Identity) => blocks(ca).map((certificate) => nameOf({ certificate }));
const isTrusted = (certificate: string, { ca }: Identity) =>
  blocks(ca).some((pem) => new X509Certificate(certificate).verify(new X509Certificate(pem).publicKey));
const issuer = (certificate: string) => /CN=(.+)/.exec(new X509Certificate(certificate).issuer)?.[1];
const open = (at = now) => openIdentity(folder, hosts, at);

describe('a rotation', () => {
  test('trusts the new CA first, then lets it sign, then forgets the old one', () => {
    const before = open();
    startRotation(folder, now);
    const started = open();
    expect(names(started)).toEqual(['keelson-ca', 'keelson-ca-2']);
    expect(started.admin).toEqual(before.admin);
    switchAuthority(folder);
    const switched = open();
    expect(names(switched)).toEqual(['keelson-ca-2', 'keelson-ca']);
    expect([switched.serving, switched.admin].map(({ certificate }) => issuer(certificate))).toEqual([
      'keelson-ca-2',
      'keelson-ca-2',
    ]);
    expect(isTrusted(before.admin.certificate, switched)).toBe(true);
    finishRotation(folder);
    const finished = open();
    expect(names(finished)).toEqual(['keelson-ca-2']);
    expect(isTrusted(before.admin.certificate, finished)).toBe(false);
    expect(finished.admin).toEqual(switched.admin);
    startRotation(folder, now);
    expect(names(open())).toEqual(['keelson-ca-2', 'keelson-ca-3']);
  });

  test.each([
    ['switch before start', () => switchAuthority(folder), 'no rotation has started'],
    ['finish before start', () => finishRotation(folder), 'there is no old CA to retire'],
    ['start twice', () => [1, 2].map(() => startRotation(folder, now)), 'a rotation to keelson-ca-2 has started'],
    ['finish before switch', () => [startRotation(folder, now), finishRotation(folder)], 'does not sign yet'],
    [
      'switch twice',
      () => [startRotation(folder, now), switchAuthority(folder), switchAuthority(folder)],
      'keelson-ca-2 signs already',
    ],
  ])('refuses %s', (_, step, message) => {
    open();
    const refusal = thrown(step);
    expect(refusal).toBeInstanceOf(RotationError);
    expect((refusal as Error).message).toContain(message);
    expect(() => open()).not.toThrow();
  });

  function thrown(step: () => unknown): unknown {
    try {
      return step();
    } catch (error) {
      return error;
    }
  }

  test('in a folder without a CA is refused', () => {
    expect(() => startRotation(folder, now)).toThrow('there is no CA in');
  });
});

describe('a process that ends in the middle', () => {
  const rotated = () => {
    startRotation(folder, now);
    switchAuthority(folder);
  };
  const steps: readonly [string, () => void, () => void, string][] = [
    ['the start of a rotation', () => {}, () => startRotation(folder, now), 'keelson-ca'],
    ['the switch to the new CA', () => startRotation(folder, now), () => switchAuthority(folder), 'keelson-ca-2'],
    ['the end of a rotation', rotated, () => finishRotation(folder), 'keelson-ca-2'],
    ['a renewal', () => {}, () => renewLeafs(folder, now), 'keelson-ca'],
  ];

  test.each(steps)('of %s leaves a folder that works, and the step can be taken again', (_, prepare, step, signer) => {
    open();
    prepare();
    const before = open();
    const copy = `${folder}-before`;
    fs.cpSync(folder, copy, { recursive: true });
    let crashes = 0;
    for (let isDone = false; !isDone; crashes++) {
      fs.rmSync(folder, { recursive: true });
      fs.cpSync(copy, folder, { recursive: true });
      disk.left = crashes;
      isDone = !throws(step, 'the process ended here');
      disk.left = Number.POSITIVE_INFINITY;
      const after = open();
      expect(isTrusted(after.serving.certificate, after), `serving after ${crashes} calls`).toBe(true);
      expect(isTrusted(before.admin.certificate, after), `trust after ${crashes} calls`).toBe(true);
      expect(isTrusted(after.serving.certificate, before), `known CA after ${crashes} calls`).toBe(true);
      if (!isDone) throws(step, 'signs already', 'has started', 'no old CA');
      expect(nameOf(open().authority)).toBe(signer);
      expect(fs.readdirSync(folder).filter((name) => name.includes('ca-next')).length % 2).toBe(0);
    }
    expect(crashes).toBeGreaterThan(1);
    fs.rmSync(copy, { recursive: true });
  });

  function throws(step: () => void, ...messages: readonly string[]): boolean {
    try {
      step();
      return false;
    } catch (error) {
      if (messages.some((message) => (error as Error).message.includes(message))) return true;
      throw error;
    }
  }
});

describe('a CA that comes to its end', () => {
  test('is announced with half a year left, replaced with a month left, and trusted until then', () => {
    const before = open();
    expect(names(open(now + 3400 * day))).toEqual(['keelson-ca']);
    expect(names(open(now + 3500 * day))).toEqual(['keelson-ca', 'keelson-ca-2']);
    const switched = open(now + 3625 * day);
    expect(names(switched)).toEqual(['keelson-ca-2', 'keelson-ca']);
    expect(isTrusted(before.admin.certificate, switched)).toBe(true);
    expect(names(open(now + 3651 * day))).toEqual(['keelson-ca-2']);
  });

  test('unseen is replaced, and no longer trusted', () => {
    open();
    expect(names(open(now + 4000 * day))).toEqual(['keelson-ca-2']);
  });
});

describe('files that cannot be used', () => {
  test('a CA is never replaced because of them', () => {
    open();
    fs.writeFileSync(join(folder, 'ca.crt'), 'nonsense');
    expect(() => open()).toThrow(/ca\.crt and ca\.key in \S+ cannot be read .*restore both from a backup/);
    writePair(folder, 'ca', { ...createAuthority('a', now), privateKey: createAuthority('b', now).privateKey });
    expect(() => open()).toThrow('do not belong together');
  });

  test('a leaf is made again', () => {
    const before = open();
    fs.writeFileSync(join(folder, 'apiserver.crt'), '');
    const after = open();
    expect(after.authority.certificate).toBe(before.authority.certificate);
    expect(isTrusted(after.serving.certificate, after)).toBe(true);
  });

  test('half a draft of another process is left alone', () => {
    const before = open();
    const draft = signLeaf(before.authority, { usage: 'server', commonName: 'x', hosts }, now).certificate;
    fs.writeFileSync(join(folder, 'apiserver.crt.new'), draft);
    expect(open().serving).toEqual(before.serving);
  });
});
