// A test server that is not closed keeps its process alive. After some seconds without a request one line says so, and
// where the server was started.

// Fakes of test runners replace the timers of the global object, not these.
import { clearInterval, setInterval } from 'node:timers';

const quietMs = 5000;

/** The process waits for something else as well. */
const otherWork = ['ProcessWrap', 'FSReqCallback', 'FSReqPromise', 'GetAddrInfoReqWrap', 'ConnectWrap'];

export class LeftOpenNotice {
  readonly #timer: NodeJS.Timeout;
  #wasUsed = true;

  /** `startedAt` is the line of the program that started the server. */
  constructor(startedAt: string) {
    this.#timer = setInterval(() => this.#look(startedAt), quietMs);
    // it must not keep the process alive itself
    this.#timer.unref();
  }

  /** A request has come. */
  used(): void {
    this.#wasUsed = true;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(startedAt: string): void {
    const isBusy = process.getActiveResourcesInfo().some((resource) => otherWork.includes(resource));
    if (this.#wasUsed || isBusy) {
      this.#wasUsed = false;
      return;
    }
    this.close();
    process.stderr.write(
      `keelson: the test server started ${startedAt} is still open: call close(), or the process does not end\n`,
    );
  }
}
