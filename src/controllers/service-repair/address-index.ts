// Which service holds an address, and which one each IPAddress names, by path: kept up to date with what is stored, so that
// only what does not agree is looked at.

export class AddressIndex {
  /** By address; '' for an object that is not as the server made it. */
  readonly #named = new Map<string, string>();
  readonly #held = new Map<string, readonly string[]>();
  readonly #holders = new Map<string, string>();

  /** Tells the addresses of a service, none of one that is gone, and gets those that it no longer holds. */
  hold(service: string, addresses: readonly string[]): readonly string[] {
    const before = this.#held.get(service) ?? [];
    for (const address of before) if (this.#holders.get(address) === service) this.#holders.delete(address);
    for (const address of addresses) this.#holders.set(address, service);
    if (addresses.length > 0) this.#held.set(service, addresses);
    else this.#held.delete(service);
    return before.filter((address) => !addresses.includes(address));
  }

  /** The service that an IPAddress names; undefined when the object is gone. */
  name(address: string, service: string | undefined): void {
    if (service === undefined) this.#named.delete(address);
    else this.#named.set(address, service);
  }

  /** The service that holds an address. */
  holderOf(address: string): string | undefined {
    return this.#holders.get(address);
  }

  get services(): Iterable<string> {
    return this.#held.keys();
  }

  get addresses(): Iterable<string> {
    return this.#named.keys();
  }

  /** Whether every address of a service has an object that names it. */
  isServiceInOrder(service: string): boolean {
    return (this.#held.get(service) ?? []).every(
      (address) => this.#named.get(address) === service && this.#holders.get(address) === service,
    );
  }

  /** Whether the service that holds an address and the one that its object names are the same, or there are neither. */
  isInOrder(address: string): boolean {
    return this.#named.get(address) === this.#holders.get(address);
  }

  clear(): void {
    for (const map of [this.#named, this.#held, this.#holders]) map.clear();
  }
}
