// Certificates and their keys as files: a pair is replaced as a whole or not at all, wherever the process ends.

import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { belongsTogether, type KeyPair } from './certificates.ts';

/** Undefined where one of the two files is missing. */
export function readPair(folder: string, name: string): KeyPair | undefined {
  const files = filesOf(folder, name);
  if (existsSync(files.certificateDraft)) finishReplacing(files);
  const certificate = readIfThere(files.certificate);
  const privateKey = readIfThere(files.privateKey);
  return certificate === undefined || privateKey === undefined ? undefined : { certificate, privateKey };
}

/**
 * Both drafts are on the disk before the first is renamed, the key before the certificate: where the process ends between
 * the two, the next reader sees the draft of the certificate and finishes the work.
 */
export function writePair(folder: string, name: string, pair: KeyPair): KeyPair {
  const files = filesOf(folder, name);
  writeDraft(files.privateKeyDraft, pair.privateKey, 0o600, true);
  writeDraft(files.certificateDraft, pair.certificate, 0o644, true);
  renameSync(files.privateKeyDraft, files.privateKey);
  renameDraft(files.certificateDraft, files.certificate);
  syncFolder(folder);
  return pair;
}

/** The certificate is deleted first: a key alone is no pair. */
export function removePair(folder: string, name: string): void {
  const files = filesOf(folder, name);
  for (const path of [files.certificateDraft, files.certificate, files.privateKeyDraft, files.privateKey])
    rmSync(path, { force: true });
}

/** `flush` has the content on the disk before the name points to it, for files that are not made again at each start. */
export function writeAtomically(path: string, content: string, mode: number, flush = false): void {
  const draft = `${path}.new`;
  writeDraft(draft, content, mode, flush);
  renameSync(draft, path);
}

export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

interface PairFiles {
  readonly certificate: string;
  readonly certificateDraft: string;
  readonly privateKey: string;
  readonly privateKeyDraft: string;
}

function filesOf(folder: string, name: string): PairFiles {
  const certificate = join(folder, `${name}.crt`);
  const privateKey = join(folder, `${name}.key`);
  return { certificate, certificateDraft: `${certificate}.new`, privateKey, privateKeyDraft: `${privateKey}.new` };
}

/** A draft that belongs to the key is the other half; any other was never begun to be used. */
function finishReplacing({ certificateDraft, certificate, privateKey }: PairFiles): void {
  const draft = readIfThere(certificateDraft);
  const key = readIfThere(privateKey);
  if (draft !== undefined && key !== undefined && fits(draft, key)) renameDraft(certificateDraft, certificate);
}

/** False for what cannot be read as well: a draft may end in the middle. */
function fits(certificate: string, privateKey: string): boolean {
  try {
    return belongsTogether({ certificate, privateKey });
  } catch {
    return false;
  }
}

/** A reader in another process may have finished the replacement meanwhile. */
function renameDraft(draft: string, path: string): void {
  try {
    renameSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function writeDraft(draft: string, content: string, mode: number, flush: boolean): void {
  // left over from a process that ended here, perhaps with other rights
  rmSync(draft, { force: true });
  writeFileSync(draft, content, { mode, flush });
  // whatever the umask is
  chmodSync(draft, mode);
}

/** Names are on the disk only with their folder; Windows has no such call. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
