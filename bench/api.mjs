// A small client for the preparations: namespaces, objects to read, the bytes of an answer. Never part of a measurement.
import { once } from 'node:events';
import { connect } from 'node:http2';
import { collection, configMap } from './objects.mjs';

const REQUEST_MS = 30_000;
const AT_ONCE = 16;

export class Api {
  #session;

  #requestMs;

  constructor({ port, ca, cert, key }, { requestMs = REQUEST_MS } = {}) {
    this.#requestMs = requestMs;
    this.#session = connect(`https://127.0.0.1:${port}`, { ca, cert, key });
    this.#session.on('error', () => {}); // told to every request as well
  }

  /** Any status of 300 and above is an error that shows the answer. */
  async request({ method, path, headers, body }) {
    const stream = this.#begin({ method, path, headers, body });
    const [answer] = await once(stream, 'response');
    const bytes = Buffer.concat(await stream.toArray());
    if (answer[':status'] >= 300) throw new Error(`${method} ${path}: ${answer[':status']} ${bytes.subarray(0, 300)}`);
    return { contentType: answer['content-type'], body: bytes };
  }

  /** Bytes of an answer that is not kept, and how often it has `text`. */
  async count(request, text) {
    const counts = { bytes: 0, names: 0 };
    let rest = Buffer.alloc(0);
    for await (const part of this.#begin(request)) {
      counts.bytes += part.length;
      const whole = Buffer.concat([rest, part]);
      let at = whole.indexOf(text);
      for (; at >= 0; at = whole.indexOf(text, at + text.length)) counts.names += 1;
      // shorter than the text: a match is counted once
      rest = whole.subarray(Math.max(0, whole.length - text.length + 1));
    }
    return counts;
  }

  #begin({ method = 'GET', path, headers = {}, body }) {
    const stream = this.#session.request({ ':method': method, ':path': path, ...headers });
    stream.setTimeout(this.#requestMs, () => stream.destroy(new Error(`${method} ${path}: no answer`)));
    stream.end(body);
    return stream;
  }

  create(path, object) {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    return this.request({ method: 'POST', path, headers, body: JSON.stringify(object) });
  }

  createNamespace(name) {
    return this.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }

  /** Creates `count` ConfigMaps named by `name(index)`, a few at once. */
  async createConfigMaps({ namespace, count, size, name }) {
    let next = 0;
    const work = async () => {
      for (let index = next++; index < count; index = next++)
        await this.create(collection(namespace), configMap({ name: name(index), namespace, size }));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  /** The revision to watch from: what has happened until now is not told. */
  async revision(namespace) {
    const { body } = await this.request({ path: `${collection(namespace)}?limit=1` });
    return JSON.parse(body.toString()).metadata.resourceVersion;
  }

  close() {
    this.#session.destroy();
  }
}
