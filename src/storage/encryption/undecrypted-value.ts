// What stands in for a stored value that no key can read: no bytes of it reach a reader.

export class UndecryptedValue extends Uint8Array {
  /** Why, without anything of the value or of a key. */
  readonly reason: string;

  constructor(reason: string) {
    super(0);
    this.reason = reason;
  }
}
