// A small client for the preparations: namespaces, objects to read, the bytes of an answer. Never part of a measurement.
import { once } from 'node:events';
import { connect } from 'node:http2';
import { collection, configMap } from './objects.mjs';

const REQUEST_MS = 30_000;
const AT_ONCE = 16;

export class Api {
  #session;

  constructor({ port, ca, cert, key }) {
    this.#session = connect(`https://127.0.0.1:${port}`, { ca, cert, key });
    this.#session.on('error', () => {}); // told to every request as well
  }

  /** Any status of 300 and above is an error that shows the answer. */
  async request({ method = 'GET', path, headers = {}, body }) {
    const stream = this.#session.request({ ':method': method, ':path': path, ...headers });
    stream.setTimeout(REQUEST_MS, () => stream.destroy(new Error(`${method} ${path}: no answer`)));
    stream.end(body);
    const [answer] = await once(stream, 'response');
    const bytes = Buffer.concat(await stream.toArray());
    if (answer[':status'] >= 300) throw new Error(`${method} ${path}: ${answer[':status']} ${bytes.subarray(0, 300)}`);
    return { contentType: answer['content-type'], body: bytes };
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
