// A way through a proxy: a connection to the proxy becomes one to the server behind it.

import { request } from 'node:http';
import { connect as connectPlain, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectSecure } from 'node:tls';
import { hostOf, portOf } from '../kubeconfig/target.ts';

/** Where a connection shall lead. */
interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** How long a proxy may take to open the way. */
const patienceMs = 30_000;

interface TunnelOptions {
  readonly proxy: URL;
  readonly to: Endpoint;
  /** For proxies that are reached over TLS themselves. */
  readonly tls: ConnectionOptions;
  /** Aborted when the connection is no longer needed. */
  readonly signal: AbortSignal;
}

export function openTunnel({ proxy, to, tls, signal }: TunnelOptions): Promise<Socket> {
  const socket = dial(proxy, tls);
  // each wait has its own error handler; between two waits this one prevents a crash
  socket.on('error', () => {});
  const opened = proxy.protocol === 'socks5:' ? throughSocks(socket, proxy, to) : throughHttp(socket, proxy, to);
  const giveUp = (why: string) => socket.destroy(new Error(why));
  const leave = () => giveUp('the way through the proxy is not needed any more');
  signal.addEventListener('abort', leave, { once: true });
  const timer = setTimeout(() => giveUp('the proxy did not answer in time'), patienceMs);
  return opened.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
  });
}

function dial(proxy: URL, tls: ConnectionOptions): Socket {
  const options = { host: hostOf(proxy), port: portOf(proxy) };
  return proxy.protocol === 'https:' ? connectSecure({ ...tls, ...options }) : connectPlain(options);
}

/** The credentials for a proxy. */
export function proxyAuthorization({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

function throughHttp(socket: Socket, proxy: URL, { host, port }: Endpoint): Promise<Socket> {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    const asking = request({
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...proxyAuthorization(proxy) },
      createConnection: () => socket,
    });
    const refuse = (status: number | undefined) => {
      socket.destroy();
      reject(new Error(`the proxy answered ${status}`));
    };
    asking.on('connect', ({ statusCode }) => (statusCode === 200 ? resolve(socket) : refuse(statusCode)));
    asking.on('response', ({ statusCode }) => refuse(statusCode));
    asking.on('error', reject);
    asking.end();
  });
}

const socks = { version: 5, noAuth: 0, password: 2, connect: 1, domain: 3, ipv4: 1, ipv6: 4 } as const;

/** RFC 1928 and 1929; names are resolved by the proxy. */
async function throughSocks(socket: Socket, proxy: URL, { host, port }: Endpoint): Promise<Socket> {
  try {
    await answerSocks(socket, proxy);
    const name = Buffer.from(host);
    if (name.length > 255) throw new Error('the name of the server is too long for the proxy');
    const { version, connect, domain } = socks;
    socket.write(Buffer.from([version, connect, 0, domain, name.length, ...name, port >> 8, port & 255]));
    const [, failure, , kind] = await readExactly(socket, 4);
    if (failure !== 0) throw new Error(`the proxy refused with code ${failure}`);
    const length = kind === socks.ipv4 ? 4 : kind === socks.ipv6 ? 16 : ((await readExactly(socket, 1))[0] ?? 0);
    await readExactly(socket, length + 2);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function answerSocks(socket: Socket, { username, password }: URL): Promise<void> {
  const method = username === '' ? socks.noAuth : socks.password;
  socket.write(Buffer.from([socks.version, 1, method]));
  const [, chosen] = await readExactly(socket, 2);
  if (chosen !== method) throw new Error('the proxy does not offer an authentication method that this client has');
  if (method === socks.noAuth) return;
  socket.write(Buffer.from([1, ...counted(username), ...counted(password)]));
  const [, failure] = await readExactly(socket, 2);
  if (failure !== 0) throw new Error('the proxy does not accept the credentials');
}

/** A part of a URL as bytes with their number in front. */
function counted(part: string): readonly number[] {
  const bytes = [...Buffer.from(decodeURIComponent(part)).subarray(0, 255)];
  return [bytes.length, ...bytes];
}

/** The next bytes of a connection, and no more than these. */
function readExactly(socket: Socket, length: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const stopListening = (act: () => void) => {
      socket.off('readable', look).off('error', fail).off('close', end);
      act();
    };
    const look = () => {
      const bytes = socket.read(length) as Buffer | null;
      if (bytes !== null) stopListening(() => resolve(bytes));
    };
    const fail = (error: Error) => stopListening(() => reject(error));
    const end = () => stopListening(() => reject(new Error('the proxy hung up')));
    socket.on('readable', look).on('error', fail).on('close', end);
    look();
  });
}
