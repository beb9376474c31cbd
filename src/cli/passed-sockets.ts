// Sockets that systemd listens on for this process (sd_listen_fds): they stay open while the server restarts, so clients wait instead of being refused.

import { fstatSync } from 'node:fs';
import type { PassedSocket } from '../transport/http/listening-sockets.ts';

/** The first descriptor behind those of input, output and errors. */
const firstDescriptor = 3;
const maxSockets = 64;

interface PassedSockets {
  /** Undefined where none were passed to this process. */
  readonly sockets: readonly PassedSocket[] | undefined;
  readonly warning: string | undefined;
}

/** Removes the variables, which are for this process only. Throws where they cannot be followed. */
export function takePassedSockets(env: NodeJS.ProcessEnv, pid: number): PassedSockets {
  const { LISTEN_FDS: count, LISTEN_PID: forPid, LISTEN_FDNAMES: names } = env;
  delete env['LISTEN_FDS'];
  delete env['LISTEN_PID'];
  delete env['LISTEN_FDNAMES'];
  if (count === undefined && forPid === undefined) return { sockets: undefined, warning: undefined };
  if (forPid !== String(pid)) return { sockets: undefined, warning: otherProcess(forPid, pid) };
  const number = Number(count);
  if (!/^\d+$/.test(count ?? '') || number > maxSockets)
    throw new Error(`LISTEN_FDS: ${JSON.stringify(count ?? '')} is not a number of sockets up to ${maxSockets}`);
  if (number === 0) return { sockets: undefined, warning: undefined };
  const sockets = namesOf(names, number).map((name, at) => ({ fd: firstDescriptor + at, name }));
  for (const socket of sockets) checkSocket(socket);
  return { sockets, warning: undefined };
}

const otherProcess = (forPid: string | undefined, pid: number): string =>
  `LISTEN_PID is ${JSON.stringify(forPid ?? '')} and this process is ${pid}: sockets that were passed to another process are not used`;

/** systemd names each socket, by default after its unit. */
function namesOf(text: string | undefined, count: number): readonly string[] {
  if (text === undefined) return Array.from({ length: count }, () => 'unnamed');
  const names = text.split(':');
  if (names.length === count) return names.map((name) => JSON.stringify(name).slice(1, -1));
  throw new Error(`LISTEN_FDNAMES: has ${names.length} names, and LISTEN_FDS passes ${count} sockets`);
}

function checkSocket({ fd, name }: PassedSocket): void {
  const stat = statOf(fd);
  if (stat === undefined) throw new Error(`LISTEN_FDS: descriptor ${fd} (${name}) is not open`);
  if (!stat.isSocket()) throw new Error(`LISTEN_FDS: descriptor ${fd} (${name}) is not a socket`);
}

function statOf(fd: number) {
  try {
    return fstatSync(fd);
  } catch {
    return undefined;
  }
}
