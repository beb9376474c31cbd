// Values as they were transcoded lately. Objects of a list often come from one template: a value with the text of an earlier one
// is copied, not written again. All of them share one piece of memory, which begins again when it is full.

const memoryBytes = 512 * 1024;
/** Shorter texts are written as fast as they are compared; longer ones would take the place of too many others. */
const textBytes = { min: 32, max: 16 * 1024 };
/** A pod has several containers, for example. */
const valuesPerField = 4;
/** A field that differed so often is compared only now and then. */
const manyMisses = 16;
const rareTries = 16;

const noMemory = Buffer.alloc(0);

/** Where the text of a value, and what became of it, are in the memory. */
interface RecentValue {
  readonly textAt: number;
  readonly textLength: number;
  readonly messageAt: number;
  readonly messageLength: number;
  /** Of the memory when it was written. */
  readonly generation: number;
}

/** Where bytes go; those that do not fit are left out. */
interface Target {
  readonly out: Buffer;
  readonly to: number;
}

/** The latest values of one field. */
export class RecentField {
  readonly values: RecentValue[] = [];
  next = 0;
  misses = 0;
  tries = 0;

  /** Whether it is worth the time to compare a value, and to keep it. */
  get isTried(): boolean {
    return this.misses < manyMisses || ++this.tries % rareTries === 0;
  }
}

export class RecentValues {
  #memory: Buffer = noMemory;
  #used = 0;
  #generation = 0;

  /** Copies what became of the value at `at`, if it is there. A JSON value that begins another one is that value. */
  copy(field: RecentField, json: Buffer, at: number, { out, to }: Target): RecentValue | undefined {
    for (const value of field.values)
      if (this.#isAt(value, json, at)) {
        field.misses = 0;
        const { messageAt, messageLength } = value;
        if (to + messageLength <= out.length) this.#memory.copy(out, to, messageAt, messageAt + messageLength);
        return value;
      }
    field.misses++;
    return undefined;
  }

  #isAt({ textAt, textLength, generation }: RecentValue, json: Buffer, at: number): boolean {
    if (generation !== this.#generation || at + textLength > json.length) return false;
    const memory = this.#memory;
    const middle = textLength >> 1;
    return (
      json[at + textLength - 1] === memory[textAt + textLength - 1] &&
      json[at + middle] === memory[textAt + middle] &&
      json.compare(memory, textAt, textAt + textLength, at, at + textLength) === 0
    );
  }

  keep(field: RecentField, text: Buffer, message: Buffer): void {
    if (text.length < textBytes.min || text.length > textBytes.max) return;
    const bytes = text.length + message.length;
    if (bytes > memoryBytes / 8) return;
    if (this.#used + bytes > this.#memory.length) this.#begin();
    field.values[field.next] = {
      textAt: this.#add(text),
      textLength: text.length,
      messageAt: this.#add(message),
      messageLength: message.length,
      generation: this.#generation,
    };
    field.next = (field.next + 1) % valuesPerField;
  }

  #begin(): void {
    if (this.#memory.length === 0) this.#memory = Buffer.allocUnsafeSlow(memoryBytes);
    this.#used = 0;
    this.#generation++;
  }

  #add(bytes: Buffer): number {
    const at = this.#used;
    this.#memory.set(bytes, at);
    this.#used += bytes.length;
    return at;
  }
}
