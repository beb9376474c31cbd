import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startTestServer } from '../../src/testing/index.ts';
import { TempFolder } from '../interop/temp-folder.ts';

const folder = new TempFolder();
afterAll(() => folder[Symbol.dispose]());

const certDir = join(folder.path, 'not', 'there', 'yet');
const [certFile, keyFile] = ['apiserver.crt', 'apiserver.key'].map((name) => join(certDir, name)) as [string, string];

const statusWith = (url: string, ca: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const sent = request(`${url}/version`, { ca, agent: false }, (answer) => resolve(answer.resume().statusCode));
    sent.on('error', reject).end();
  });

test('certDir gets the pair that the server makes, and keeps it for the next start', async () => {
  {
    await using server = await startTestServer({ certDir });
    expect(await statusWith(server.url, readFileSync(certFile, 'utf8'))).toBe(200);
  }
  if (process.platform !== 'win32') expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  const made = readFileSync(certFile, 'utf8');
  await using server = await startTestServer({ certDir });
  expect(await statusWith(server.url, made)).toBe(200);
  expect(readFileSync(certFile, 'utf8')).toBe(made);
});

test('half of a pair is not replaced', async () => {
  rmSync(certFile);
  const why = `certDir: error reading ${certFile}, certificate and key must be supplied as a pair`;
  await expect(startTestServer({ certDir })).rejects.toThrow(why);
  expect(existsSync(certFile)).toBe(false);
});
