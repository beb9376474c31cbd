// A program that embeds a server of two threads, or the command with as many: `node serve-with-threads.mjs embedded|command`.
// Prints as JSON which threads served its requests, and which of its reads missed a write.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const clients = 16;
const folder = mkdtempSync(join(tmpdir(), 'keelson-node-'));
/** A log line for each request, with its thread. */
const threads = new Set();
const warnings = [];

function hear(level, thread, message, path) {
  if (level === 'warn') warnings.push(message);
  if (path === '/version') threads.add(thread ?? 0);
}

async function startEmbedded() {
  const { createServer } = await import(join(root, 'dist/index.js'));
  const line = (level) => (fields, message) => hear(level, fields.thread, message, fields.path);
  const log = { info: line('info'), warn: line('warn'), error: line('error') };
  const server = await createServer({ store: 'embedded', dataDir: folder, threads: 2, log });
  await server.listen();
  return { url: server.url, stop: () => server.close() };
}

async function startCommand() {
  const args = [join(root, 'bin/keelson.cjs'), '--data-dir', folder, '--secure-port=0', '--threads=2'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  onLine(child.stderr, (line) => {
    const { level, thread, msg, path } = line.startsWith('{') ? JSON.parse(line) : {};
    hear(level, thread, msg, path);
  });
  const url = await new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the command ended with ${code}`)));
    let output = '';
    child.stdout.on('data', (part) => {
      output += part;
      if (output.includes('get namespaces')) resolve(/https:\/\/\S+/.exec(output)[0]);
    });
  });
  const stop = async () => {
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    await closed;
  };
  return { url, stop };
}

function onLine(stream, take) {
  let rest = '';
  stream.on('data', (part) => {
    const lines = (rest + part).split('\n');
    rest = lines.pop();
    for (const line of lines) take(line);
  });
}

function call(session, method, path, body) {
  return new Promise((resolve, reject) => {
    const headers = { ':method': method, ':path': path, 'content-type': 'application/json' };
    const stream = session.request(headers, { endStream: body === undefined });
    stream.on('response', (head) => {
      resolve(head[':status']);
    });
    stream.on('error', reject);
    stream.resume();
    if (body !== undefined) stream.end(body);
  });
}

const configMaps = '/api/v1/namespaces/default/configmaps';

const { url, stop } = await (process.argv[2] === 'embedded' ? startEmbedded() : startCommand());
const pki = (file) => readFileSync(join(folder, 'pki', file));
const tls = { ca: pki('ca.crt'), cert: pki('admin.crt'), key: pki('admin.key') };
const sessions = Array.from({ length: clients }, () => connect(url, tls));
const missed = [];
for (const [at, session] of sessions.entries()) {
  const status = await call(session, 'POST', configMaps, JSON.stringify({ metadata: { name: `c${at}` } }));
  if (status !== 201) missed.push(`create ${at}: ${status}`);
  for (const [reader, other] of sessions.entries()) {
    const found = await call(other, 'GET', `${configMaps}/c${at}`);
    if (found !== 200) missed.push(`read of ${at} by ${reader}: ${found}`);
  }
}
await call(sessions[0], 'PUT', '/debug/flags/v', '3');
for (const session of sessions) await call(session, 'GET', '/version');
for (const session of sessions) session.destroy();
await stop();
rmSync(folder, { recursive: true, force: true });
process.stdout.write(JSON.stringify({ threads: [...threads].sort(), missed, warnings }));
