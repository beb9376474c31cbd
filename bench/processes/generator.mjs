// The parent's handle on the load generator's process: one job at a time, a result or an error back.
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../generator/main.mjs', import.meta.url));

export class Generator {
  #scope;
  #child;
  #over = new AbortController();

  constructor(scope) {
    this.#scope = scope;
    const stdio = ['ignore', 'pipe', 'pipe', 'ipc'];
    this.#child = scope.spawn(process.execPath, [PROGRAM], { stdio, serialization: 'advanced' });
    this.#child.once('close', () => this.#over.abort(new Error(`the generator ended: ${this.#child.tail}`)));
  }

  /** Jobs bound themselves in time; here only the death of the process has to be noticed. */
  async run(type, job) {
    this.#over.signal.throwIfAborted();
    const answer = once(this.#child, 'message', { signal: this.#over.signal });
    this.#child.send({ type, job });
    const [{ result, error }] = await answer;
    if (error !== undefined) throw new Error(error);
    return result;
  }

  stop() {
    return this.#scope.stop(this.#child);
  }
}
