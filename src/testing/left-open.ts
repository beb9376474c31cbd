// A test server that is not closed keeps its process alive. When the process has done nothing for some seconds, one line reports
// that, and where the server was started.

import { performance } from 'node:perf_hooks';
// Fakes of test runners replace the timers of the global object, not these.
import { clearInterval, setInterval } from 'node:timers';

const quietMs = 5000;
/** The share of the time that a process with idle servers is busy. */
const idleShare = 0.05;

/** The process waits for something else as well. */
const otherWork = ['ProcessWrap', 'FSReqCallback', 'FSReqPromise', 'GetAddrInfoReqWrap', 'ConnectWrap'];

export class LeftOpenNotice {
  readonly #timer: NodeJS.Timeout;
  readonly #startedAt: string;
  #before = performance.eventLoopUtilization();

  /** `startedAt` is the line of the program that started the server. */
  constructor(startedAt: string) {
    this.#startedAt = startedAt;
    this.#timer = setInterval(() => this.#look(), quietMs);
    // it must not keep the process alive itself
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.#before);
    this.#before = now;
    const isBusy = process.getActiveResourcesInfo().some((resource) => otherWork.includes(resource));
    if (isBusy || utilization > idleShare) return;
    this.close();
    process.stderr.write(
      `keelson: the test server started ${this.#startedAt} is still open: call close(), or the process does not end\n`,
    );
  }
}
