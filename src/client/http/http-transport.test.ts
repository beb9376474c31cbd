import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createPlain, type Server as PlainServer } from 'node:http';
import { type AddressInfo, createServer as createTcp, connect as dial, type Server as TcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../base/time/clock.ts';
import { createAuthority, signLeaf } from '../../pki/certificates.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { expiredAt, TlsPeer } from '../../testing/tls-peer.ts';
import { RequestError } from '../client.ts';
import { type ConnectOptions, connect } from '../connect.ts';
import { Informer } from '../informer.ts';
import { loadKubeconfig } from '../kubeconfig/load.ts';

const folder = mkdtempSync(join(tmpdir(), 'keelson-transport-'));
afterAll(() => rmSync(folder, { recursive: true }));

const base64 = (text: string) => Buffer.from(text).toString('base64');

type Entries = Parameters<TlsPeer['kubeconfig']>[0];
async function open(peer: TlsPeer, entries: Entries = {}, options: ConnectOptions = {}) {
  return connect(await loadKubeconfig({ text: peer.kubeconfig(entries) }), options);
}

const path = '/api/v1/pods';
const get = { method: 'GET', path } as const;

describe('a request over TLS', () => {
  test('carries path, body and credentials, and brings back status and JSON', async () => {
    await using peer = await TlsPeer.open(() => ({ kind: 'PodList' }));
    using cluster = await open(peer, { path: '/behind/', user: { token: 't0p' } }, { userAgent: 'test' });
    const answer = await cluster.transport.send({ method: 'POST', path, body: { a: 1 } });
    expect(answer).toEqual({ status: 200, body: { kind: 'PodList' } });
    expect(peer.requests[0]).toMatchObject({
      method: 'POST',
      path: '/behind/api/v1/pods',
      body: '{"a":1}',
      headers: {
        authorization: 'Bearer t0p',
        'content-type': 'application/json',
        'user-agent': 'test',
        accept: 'application/json',
      },
    });
  });

  test('a request without a path is sent to the path of the address', async () => {
    await using peer = await TlsPeer.open(() => ({}));
    using hook = await open(peer, { path: '/hook' });
    using root = await open(peer);
    await hook.transport.send({ method: 'POST', path: '?timeout=30s', body: {} });
    await root.transport.send({ method: 'POST', path: '', body: {} });
    expect(peer.requests.map((request) => request.path)).toEqual(['/hook?timeout=30s', '/']);
  });

  test('the path of the address is cleaned; an escape that needs no cleaning stays for the address itself', async () => {
    await using peer = await TlsPeer.open(() => ({}));
    using slashes = await open(peer, { path: '//a/./b/' });
    using escaped = await open(peer, { path: '/a%2Fb' });
    for (const { transport } of [slashes, escaped])
      for (const rest of ['?timeout=1s', path]) await transport.send({ method: 'GET', path: rest });
    expect(peer.requests.map((request) => request.path)).toEqual([
      '/a/b?timeout=1s',
      '/a/b/api/v1/pods',
      '/a%2Fb?timeout=1s',
      '/a/b/api/v1/pods',
    ]);
    await expect(open(peer, { path: '/%zz' })).rejects.toThrow('cluster "peer": server has a broken escape, %zz');
  });

  test('connections are kept for the next request', async () => {
    await using peer = await TlsPeer.open(() => ({}));
    using cluster = await open(peer);
    for (let i = 0; i < 3; i++) await cluster.transport.send(get);
    expect(new Set(peer.requests.map(({ port }) => port)).size).toBe(1);
  });

  test('names the user it acts as', async () => {
    await using peer = await TlsPeer.open(() => ({}));
    const user = { as: 'änn', 'as-uid': '7', 'as-groups': ['a', 'b'], 'as-user-extra': { 'a/b %': ['x', 'y'] } };
    using cluster = await open(peer, { user: { ...user, username: 'me', password: 'p:w' } });
    await cluster.transport.send(get);
    const [{ headers } = { headers: {} as Record<string, string> }] = peer.requests;
    expect(Buffer.from(String(headers['impersonate-user']), 'latin1').toString()).toBe('änn');
    expect(headers).toMatchObject({
      authorization: `Basic ${base64('me:p:w')}`,
      'impersonate-uid': '7',
      'impersonate-group': 'a, b',
      'impersonate-extra-a%2fb%20%25': 'x, y',
    });
  });

  test('follows no redirect', async () => {
    await using other = await TlsPeer.open(() => ({}));
    await using peer = await TlsPeer.open((_request, response) => {
      response.writeHead(302, { location: other.url }).end();
    });
    using cluster = await open(peer, { user: { token: 'secret' } });
    await expect(cluster.client.get(path)).rejects.toMatchObject({ code: 302 });
    expect(other.requests).toEqual([]);
  });

  test('an error carries the message of the Status', async () => {
    await using peer = await TlsPeer.open((_request, response) => {
      response.writeHead(409).end(JSON.stringify({ message: 'another client was faster', reason: 'Conflict' }));
    });
    using cluster = await open(peer);
    await expect(cluster.client.get(path)).rejects.toThrow(`GET ${path}: 409 another client was faster`);
  });

  test('what is packed is unpacked, and nothing is packed for those who do not want it', async () => {
    await using peer = await TlsPeer.open(({ headers }, response) => {
      if (headers['accept-encoding'] !== 'gzip') return { packed: false };
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"packed":true}'));
      return undefined;
    });
    using packing = await open(peer);
    using plain = await open(peer, { cluster: { 'disable-compression': true } });
    expect((await packing.transport.send(get)).body).toEqual({ packed: true });
    expect((await plain.transport.send(get)).body).toEqual({ packed: false });
  });
});

describe('bounds', () => {
  test.each([
    ['a long answer', (text: string) => ({ headers: {}, body: Buffer.from(text) })],
    [
      'one that is short only as long as it is packed',
      (text: string) => ({ headers: { 'content-encoding': 'gzip' }, body: gzipSync(text) }),
    ],
  ])('%s is not read to its end', async (_what, pack) => {
    const { headers, body } = pack('x'.repeat(1_000_000));
    await using peer = await TlsPeer.open((_request, response) => {
      response.writeHead(200, headers).end(body);
    });
    using cluster = await open(peer, {}, { maxAnswerBytes: 1000 });
    await expect(cluster.transport.send(get)).rejects.toThrow('the answer is longer than 1000 bytes');
  });

  test('a server that is silent is given up', async () => {
    const clock = new FakeClock();
    await using peer = await TlsPeer.open(() => {
      clock.advance(5000);
    });
    using cluster = await open(peer, {}, { timeoutMs: 5000, clock });
    await expect(cluster.transport.send(get)).rejects.toThrow('no answer within 5000 ms');
  });

  test('one that stops in the middle too', async () => {
    const clock = new FakeClock();
    await using peer = await TlsPeer.open((_request, response) => {
      response.writeHead(200).write('{"a":', () => setTimeout(() => clock.advance(5000), 20));
    });
    using cluster = await open(peer, {}, { timeoutMs: 5000, clock });
    await expect(cluster.transport.send(get)).rejects.toThrow('no answer within 5000 ms');
  });

  test('the caller may give up', async () => {
    const stop = new AbortController();
    await using peer = await TlsPeer.open(() => stop.abort());
    using cluster = await open(peer);
    await expect(cluster.transport.send({ ...get, signal: stop.signal })).rejects.toThrow('the request was given up');
  });

  test('requests wait for a connection when there are enough, and may give up waiting', async () => {
    const answers: (() => void)[] = [];
    let came: () => void = () => {};
    const first = new Promise<void>((resolve) => {
      came = resolve;
    });
    await using peer = await TlsPeer.open((_request, response) => {
      answers.push(() => void response.end('{}'));
      came();
    });
    const clock = new FakeClock();
    using cluster = await open(peer, {}, { maxConnections: 1, timeoutMs: 5000, clock });
    const served = cluster.transport.send(get);
    await first;
    const stop = new AbortController();
    const waiting = cluster.transport.send({ ...get, signal: stop.signal });
    stop.abort();
    await expect(waiting).rejects.toThrow('the request was given up');
    answers[0]?.();
    expect((await served).status).toBe(200);
    expect(peer.requests).toHaveLength(1);
  });

  test('nothing is sent once it is closed', async () => {
    await using peer = await TlsPeer.open(() => ({}));
    const cluster = await open(peer);
    cluster.close();
    await expect(cluster.transport.send(get)).rejects.toThrow('the transport is closed');
    expect(peer.requests).toEqual([]);
  });
});

describe('trust', () => {
  const other = createAuthority('another CA', Date.now());

  test.each<[string, () => Promise<TlsPeer>, object, string]>([
    [
      'of another authority',
      () => TlsPeer.open(() => ({})),
      { 'certificate-authority-data': base64(other.certificate) },
      'SELF_SIGNED_CERT_IN_CHAIN',
    ],
    ['that has ended', () => TlsPeer.open(() => ({}), { madeAt: expiredAt() }), {}, 'CERT_HAS_EXPIRED'],
    ['for another name', () => TlsPeer.open(() => ({}), { hosts: ['other.test'] }), {}, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('a certificate %s is refused, unless nothing is checked', async (_what, start, cluster, code) => {
    await using peer = await start();
    using strict = await open(peer, { cluster });
    await expect(strict.transport.send(get)).rejects.toMatchObject({ code });
    expect(peer.requests).toEqual([]);
    const lax = { 'certificate-authority-data': '', 'insecure-skip-tls-verify': true };
    using careless = await open(peer, { cluster: lax });
    expect((await careless.transport.send(get)).status).toBe(200);
  });

  test('the certificate may be for the name that tls-server-name says', async () => {
    await using peer = await TlsPeer.open(() => ({}), { hosts: ['other.test'] });
    using cluster = await open(peer, { cluster: { 'tls-server-name': 'other.test' } });
    expect((await cluster.transport.send(get)).status).toBe(200);
    using wrong = await open(peer, { cluster: { 'tls-server-name': '127.0.0.1' } });
    await expect(wrong.transport.send(get)).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  });

  test('the transport resolves a name once, and connects to that address', async () => {
    await using peer = await TlsPeer.open(() => ({}), { hosts: ['peer.test'] });
    const paths: string[] = [];
    using cluster = await open(
      peer,
      { cluster: { server: `https://peer.test:${peer.port}` } },
      {
        lookup(host, options, done) {
          paths.push(host);
          if (options.all) done(null, [{ address: '127.0.0.1', family: 4 }]);
          else done(null, '127.0.0.1', 4);
        },
      },
    );
    await Promise.all([cluster.transport.send(get)]);
    expect(paths).toEqual(['peer.test']);
  });

  test('a client shows its certificate, and a changed one makes a new connection', async () => {
    const clock = new FakeClock();
    await using peer = await TlsPeer.open(() => ({}));
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const put = (commonName: string) => {
      const pair = signLeaf(peer.authority, { usage: 'client', commonName, organizations: [] }, Date.now());
      for (const [file, text] of [
        [cert, pair.certificate],
        [key, pair.privateKey],
      ] as const) {
        writeFileSync(`${file}.new`, text);
        renameSync(`${file}.new`, file);
      }
    };
    put('ann');
    using cluster = await open(peer, { user: { 'client-certificate': cert, 'client-key': key } }, { clock });
    await cluster.transport.send(get);
    put('bob');
    clock.advance(1000);
    await cluster.transport.send(get);
    await cluster.transport.send(get);
    expect(peer.requests.map(({ commonName }) => commonName)).toEqual(['ann', 'bob', 'bob']);
    expect(new Set(peer.requests.map(({ port }) => port)).size).toBe(2);
  });

  test('a token file is read again when it changes, at once when its token is refused', async () => {
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, 'old\n');
    const clock = new FakeClock();
    await using peer = await TlsPeer.open(({ headers }, response) => {
      response.writeHead(headers.authorization === 'Bearer newer' ? 200 : 401).end('{}');
    });
    using cluster = await open(peer, { user: { tokenFile } }, { clock });
    expect((await cluster.transport.send(get)).status).toBe(401);
    writeFileSync(tokenFile, 'newer\n');
    expect((await cluster.transport.send(get)).status).toBe(200);
    expect(peer.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer old',
      'Bearer old',
      'Bearer newer',
    ]);
  });
});

describe('streams', () => {
  test('lines come as they are written, however the bytes are cut, until the reader leaves', async () => {
    const text = Buffer.from('{"a":"ü"}\n{"b":2}\n');
    await using peer = await TlsPeer.open((_request, response) => {
      response.writeHead(200).write(text.subarray(0, 7));
      setTimeout(() => response.write(text.subarray(7)), 20);
    });
    using cluster = await open(peer);
    const stop = new AbortController();
    const seen: string[] = [];
    for await (const line of cluster.transport.lines(path, stop.signal)) if (seen.push(line) === 2) stop.abort();
    expect(seen).toEqual(['{"a":"ü"}', '{"b":2}']);
  });

  test('an answer that is no success is an error with its Status', async () => {
    await using peer = await TlsPeer.open((_request, response) => {
      response.writeHead(410).end(JSON.stringify({ message: 'too old', reason: 'Expired' }));
    });
    using cluster = await open(peer);
    const read = async () => {
      for await (const _line of cluster.transport.lines(path, new AbortController().signal));
    };
    await expect(read()).rejects.toThrow(RequestError);
    await expect(read()).rejects.toThrow('410 too old');
  });

  test('closing ends them', async () => {
    await using peer = await TlsPeer.open((_request, response) => {
      response.writeHead(200).write('{}\n');
    });
    const cluster = await open(peer);
    const seen: string[] = [];
    for await (const line of cluster.transport.lines(path, new AbortController().signal)) {
      seen.push(line);
      cluster.close();
    }
    expect(seen).toEqual(['{}']);
  });

  test('an informer follows a collection', async () => {
    const pod = (name: string) => ({ metadata: { name, resourceVersion: '2' } });
    await using peer = await TlsPeer.open(({ path: asked }, response) => {
      if (!asked.includes('watch')) return { metadata: { resourceVersion: '1' }, items: [pod('a')] };
      response.writeHead(200).write(`${JSON.stringify({ type: 'ADDED', object: pod('b') })}\n`);
      return undefined;
    });
    using cluster = await open(peer);
    const names = await new Promise<string[]>((resolve, reject) => {
      const seen: string[] = [];
      const informer = new Informer({
        client: cluster.client,
        clock: systemClock,
        path,
        onError: reject,
        onChange: ({ metadata }) => {
          if (seen.push(metadata.name ?? '') === 2) void informer.close().then(() => resolve(seen));
        },
      });
      informer.start();
    });
    expect(names).toEqual(['a', 'b']);
  });
});

describe('proxies', () => {
  const listening = async <T extends PlainServer | TcpServer>(server: T) => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return {
      port: (server.address() as AddressInfo).port,
      [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
    };
  };

  /** A proxy that opens ways for those who have the password. */
  const httpProxy = (seen: string[]) => {
    const server = createPlain((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      response.end('{"by":"proxy"}');
    });
    server.on('connect', (request, socket) => {
      seen.push(`${request.method} ${request.url} ${request.headers['proxy-authorization']}`);
      if (request.headers['proxy-authorization'] !== `Basic ${base64('me:pass')}`) {
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
        return;
      }
      const [host, port] = (request.url ?? '').split(':');
      const onward = dial(Number(port), host, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      for (const side of [onward, socket])
        side.on('error', () => {}).on('close', () => [onward, socket].map((one) => one.destroy()));
    });
    return listening(server);
  };

  test('an HTTP proxy opens the way, with credentials', async () => {
    const seen: string[] = [];
    await using proxy = await httpProxy(seen);
    await using peer = await TlsPeer.open(() => ({ by: 'peer' }));
    using cluster = await open(peer, { cluster: { 'proxy-url': `http://me:pass@127.0.0.1:${proxy.port}` } });
    expect((await cluster.transport.send(get)).body).toEqual({ by: 'peer' });
    expect((await cluster.transport.send(get)).body).toEqual({ by: 'peer' });
    expect(seen).toEqual([`CONNECT 127.0.0.1:${peer.port} Basic ${base64('me:pass')}`]);
    using stranger = await open(peer, { cluster: { 'proxy-url': `http://127.0.0.1:${proxy.port}` } });
    await expect(stranger.transport.send(get)).rejects.toThrow('the proxy answered 407');
  });

  test('a proxy that is silent is given up with the request', async () => {
    const clock = new FakeClock();
    const silent = createTcp((socket) => {
      socket.on('error', () => {}).on('data', () => clock.advance(5000));
    });
    await using proxy = await listening(silent);
    await using peer = await TlsPeer.open(() => ({}));
    const reached = { cluster: { 'proxy-url': `http://127.0.0.1:${proxy.port}` } };
    const cluster = await open(peer, reached, { timeoutMs: 5000, clock });
    await expect(cluster.transport.send(get)).rejects.toThrow('no answer within 5000 ms');
    cluster.close();
  });

  test('a proxy receives the whole address of a plain server', async () => {
    const seen: string[] = [];
    await using proxy = await httpProxy(seen);
    await using peer = await TlsPeer.open(() => ({}));
    const server = { server: 'http://plain.test/x', 'certificate-authority-data': '' };
    using cluster = await open(peer, { cluster: { ...server, 'proxy-url': `http://127.0.0.1:${proxy.port}` } });
    expect((await cluster.transport.send(get)).body).toEqual({ by: 'proxy' });
    expect(seen).toEqual(['GET http://plain.test/x/api/v1/pods']);
  });

  test('a SOCKS proxy does as well', async () => {
    const seen: string[] = [];
    const server = createTcp((socket) => {
      socket.on('error', () => {});
      socket.once('data', (greeting) => {
        seen.push(greeting.toString('hex'));
        socket.write(Buffer.from([5, 2]));
        socket.once('data', (login) => {
          seen.push(login.subarray(1).toString('latin1'));
          socket.write(Buffer.from([1, 0]));
          socket.once('data', (request) => {
            const length = request[4] ?? 0;
            const host = request.subarray(5, 5 + length).toString();
            const onward = dial(request.readUInt16BE(5 + length), host, () => {
              socket.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 1]));
              onward.pipe(socket).pipe(onward);
            });
            onward.on('error', () => socket.destroy());
          });
        });
      });
    });
    await using proxy = await listening(server);
    await using peer = await TlsPeer.open(() => ({ by: 'peer' }));
    {
      using cluster = await open(peer, { cluster: { 'proxy-url': `socks5://me:pass@127.0.0.1:${proxy.port}` } });
      expect((await cluster.transport.send(get)).body).toEqual({ by: 'peer' });
    }
    expect(seen).toEqual(['050102', '\x02me\x04pass']);
  });
});
