// The limit of the platform: Node's HTTP/2 server over TLS, answering prepared bytes. Run with CERTIFICATE-FILE PORT.
import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import { Agent, request } from 'node:https';

const [, , file, port] = process.argv;
/** path → { contentType, body }, told by the parent. */
const answers = new Map([['/readyz', { contentType: 'text/plain', body: Buffer.from('ok') }]]);
const watchers = new Set();
/** Where posted objects are passed on to before they are answered; nowhere until the parent says so. */
let relay;

const server = createSecureServer(JSON.parse(readFileSync(file, 'utf8')));
server.on('stream', (stream, headers) => {
  stream.on('error', () => {}); // a client that goes away ends its round, not this server
  if (headers[':method'] === 'GET') get(stream, headers[':path']);
  else post(stream, headers[':path']);
});

function get(stream, path) {
  if (path === '/watch') return watch(stream);
  const answer = answers.get(path);
  stream.respond({ ':status': 200, 'content-type': answer.contentType });
  stream.end(answer.body);
}

function watch(stream) {
  stream.respond({ ':status': 200, 'content-type': 'application/json' });
  watchers.add(stream);
  stream.on('close', () => watchers.delete(stream));
}

function post(stream, path) {
  const chunks = [];
  stream.on('data', (chunk) => chunks.push(chunk));
  stream.on('end', () => {
    const text = JSON.stringify(JSON.parse(Buffer.concat(chunks).toString()));
    if (path === '/event') broadcast(text);
    if (relay === undefined) created(stream, text);
    else passOn(text, () => created(stream, text));
  });
}

function created(stream, text) {
  stream.respond({ ':status': 201, 'content-type': 'application/json' });
  stream.end(text);
}

/** One round trip over a kept connection; the answer is read to its end. */
function passOn(text, done) {
  const body = Buffer.from(text);
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  const asked = request({ ...relay, method: 'POST', path: '/', headers }, (answer) => answer.on('end', done).resume());
  asked.end(body);
}

/** Serialised once, written to all: what a fan-out costs at least. */
function broadcast(text) {
  const event = Buffer.from(`{"type":"MODIFIED","object":${text}}\n`);
  for (const stream of watchers) stream.write(event);
}

process.on('message', ({ relay: to, path, contentType, body }) => {
  if (to !== undefined) {
    relay = { host: '127.0.0.1', ...to, agent: new Agent({ keepAlive: true }) };
    return process.send({});
  }
  answers.set(path, { contentType, body: Buffer.from(body) });
  return process.send({ path });
});
process.on('disconnect', () => process.exit());
process.on('SIGINT', () => {}); // Ctrl-C reaches the whole group; the parent decides
process.on('SIGTERM', () => process.exit());
server.listen(Number(port), '127.0.0.1', () => process.send({ port: server.address().port }));
