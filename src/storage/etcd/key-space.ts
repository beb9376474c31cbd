// Our keys and etcd's: the same below a prefix of the operator's choice.

export class KeySpace {
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix.replace(/\/+$/, '');
  }

  /** A key as etcd has it. */
  outside(key: string): string {
    return this.#prefix + key;
  }

  /** A key as the server has it. */
  inside(key: string): string {
    return key.slice(this.#prefix.length);
  }
}

/** The first key after all that begin with `prefix`, which ends with an ASCII separator. */
export function endOf(prefix: string): string {
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
}
