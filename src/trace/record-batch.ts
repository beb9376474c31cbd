// Records on their way to the main thread: several at a time.

const maxRecords = 100;
const flushMs = 100;

export class RecordBatch {
  readonly #send: (records: readonly string[]) => void;
  #records: string[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (records: readonly string[]) => void) {
    this.#send = send;
  }

  add(record: string): void {
    this.#records.push(record);
    if (this.#records.length >= maxRecords) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), flushMs).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const records = this.#records;
    if (records.length === 0) return;
    this.#records = [];
    this.#send(records);
  }

  close(): void {
    this.flush();
  }
}
