// What `keelson doctor` looks at, one function each.

import { readFileSync, statfsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import type { ServerConfig } from '../../config/options.ts';
import { listCertificates } from '../../pki/certificate-list.ts';
import type { InputName, InputReport } from '../../server/start/inputs.ts';
import { isHeld } from '../../storage/embedded/folder-lock.ts';

export interface Finding {
  readonly state: 'ok' | 'odd' | 'bad';
  /** The finding, and how to fix it. */
  readonly message: string;
}

interface Where {
  readonly folder: string;
  readonly host: string;
  readonly port: number;
  readonly config: ServerConfig;
  /** What a server would read. */
  readonly report: InputReport;
}

const mebibyte = 1024 * 1024;
/** The space that the store reserves, and some objects. */
const neededMebibytes = 64;
const comfortableMebibytes = 1024;
/** A connection is a file, and so is each that a client keeps open. */
const comfortableFiles = 4096;
const warnDays = 30;
/** No build of this program is older. */
const earliest = Date.parse('2026-01-01T00:00:00Z');

const ok = (message: string): Finding => ({ state: 'ok', message });
const warning = (message: string): Finding => ({ state: 'odd', message });
const bad = (message: string): Finding => ({ state: 'bad', message });

/** In the order in which they are printed. */
export const checks: Readonly<Record<string, (where: Where) => Promise<Finding> | Finding>> = {
  'data folder': checkFolder,
  port: checkPort,
  disk: checkDisk,
  clock: checkClock,
  store: checkStore,
  certificates: checkCertificates,
  encryption: (where) => checkInput(where, 'encryption', where.config.encryption?.file),
  authentication: (where) => checkInput(where, 'authentication', 'the files of tokens and users can be read'),
  admission: (where) => checkInput(where, 'admission', where.config.admission.configFile),
  audit: (where) => checkInput(where, 'audit', where.config.audit?.policyFile),
  tracing: (where) => checkInput(where, 'tracing', where.config.tracingFile),
  'open files': checkFiles,
};

/** All problems of one input, or a description of it. */
function checkInput({ report }: Where, name: InputName, ok: string | undefined): Finding {
  const problems = report.problems.filter(({ input }) => input === name).map(({ message }) => message);
  if (problems.length > 0) return bad(problems.join('; '));
  return { state: 'ok', message: ok ?? 'no file is configured' };
}

function checkStore(where: Where): Finding {
  const { stored } = where.report;
  if (stored === undefined) return checkInput(where, 'store', 'not there yet: the server makes it');
  const objects = [...stored.objects.values()].reduce((sum, count) => sum + count, 0);
  const from = where.config.store.kind === 'etcd' ? 'etcd has' : 'the data file has';
  return checkInput(where, 'store', `${from} ${objects} objects at revision ${stored.revision}`);
}

function checkFolder({ folder }: Where): Finding {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return ok(`${folder} does not exist: the server makes it`);
  if (!stats.isDirectory()) return bad(`${folder} is a file: choose another with --data-dir`);
  const user = process.geteuid?.();
  if (user !== undefined && user !== 0 && stats.uid !== user)
    return bad(`${folder} belongs to user ${stats.uid}, this is user ${user}: run the server as its owner`);
  if ((stats.mode & 0o022) !== 0) return bad(`others may write to ${folder}: see what is theirs, then chmod 700 it`);
  if ((stats.mode & 0o077) !== 0) return warning(`others may read ${folder}: the server closes it when it starts`);
  return ok(folder);
}

/** A server that runs on the folder has the port rightly. */
async function checkPort({ folder, host, port }: Where): Promise<Finding> {
  const problem = await listenProblem(host, port);
  if (problem === undefined) return ok(`${host}:${port} is free`);
  const store = join(folder, 'store');
  const isOurs = statSync(store, { throwIfNoEntry: false }) !== undefined && (await isHeld(store));
  if (problem === 'EADDRINUSE' && isOurs) return ok(`${host}:${port} is in use; a server runs on the data folder`);
  if (problem === 'EADDRINUSE')
    return bad(`${host}:${port} is in use by another program: choose another with --secure-port`);
  if (problem === 'EACCES') return bad(`no permission to listen on port ${port}: choose one above 1023`);
  return bad(`${host} is not an address of this machine (${problem}): choose another with --bind-address`);
}

function listenProblem(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

function checkDisk({ folder }: Where): Finding {
  const { bavail, bsize } = statfsSync(existingPart(folder));
  const free = Math.floor((bavail * bsize) / mebibyte);
  const message = `${free} MiB are free`;
  if (free < neededMebibytes) return bad(`${message}: the server refuses writes on a full disk; make room`);
  return free < comfortableMebibytes ? warning(`${message}, which is little for a store that grows`) : ok(message);
}

function existingPart(path: string): string {
  return statSync(path, { throwIfNoEntry: false }) === undefined ? existingPart(dirname(path)) : path;
}

/** A store with a time in the future: an earlier clock was ahead, or this one is behind. */
function checkClock({ folder }: Where): Finding {
  const now = Date.now();
  const time = new Date(now).toISOString();
  if (now < earliest) return bad(`${time} is in the past: set the clock, or certificates are not valid yet`);
  const written = statSync(join(folder, 'store', 'data.mdb'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (written > now + 60_000)
    return warning(`${time}, but the store was written at ${new Date(written).toISOString()}: the clock went back`);
  return ok(time);
}

function checkCertificates(where: Where): Finding {
  const { folder, report } = where;
  const problem = checkInput(where, 'certificates', '');
  if (problem.state === 'bad') return problem;
  if (report.remade.length > 0)
    return warning(`${report.remade.join(', ')} cannot be used: the server makes it again when it starts`);
  const certificates = [...listCertificates(join(folder, 'pki'), Date.now())].sort((a, b) => a.daysLeft - b.daysLeft);
  const [first] = certificates;
  if (first === undefined) return ok('there are none yet: the server makes them');
  const days = `${first.name} has ${first.daysLeft} days left`;
  if (first.daysLeft >= warnDays) return ok(days);
  const remedy = 'the server renews it when it starts; see keelson certs';
  return warning(first.daysLeft < 0 ? `${first.name} has ended: ${remedy}` : `${days}: ${remedy}`);
}

function checkFiles(): Finding {
  const limit = openFileLimit();
  if (limit === undefined) return ok('the limit of this system is not known');
  const message = `${limit} files and connections may be open`;
  return limit < comfortableFiles ? warning(`${message}: raise it with ulimit -n ${comfortableFiles}`) : ok(message);
}

/** Undefined where the system does not say. */
function openFileLimit(): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}
