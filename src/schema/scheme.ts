// All kinds that the server has a type for, served or not: what is said of an object that is of another kind than the one
// that was expected depends on whether it could be read at all.

import { formatApiVersion, type GroupVersionKind, parseApiVersion } from '../meta/group-version.ts';
import { goQuoted } from '../wording/go-format.ts';

/** What messages call the types of a kind, as the reference implementation's language does. */
interface TypeNames {
  /** The package of the type that is read. */
  readonly of: string;
  /** The package of the type that it is worked on as, whatever its version. */
  readonly home: string;
}

export class Scheme {
  /** Where the reference server declares it. */
  readonly #name: string;
  readonly #types = new Map<string, TypeNames>();
  readonly #anyVersion = new Map<string, TypeNames>();

  constructor(name: string) {
    this.#name = name;
  }

  register(kind: GroupVersionKind, names: TypeNames): void {
    const key = keyOf(kind);
    if (!this.#types.has(key)) this.#types.set(key, names);
  }

  /** compat: some kinds are what they are whatever version they say they are of */
  registerInAnyVersion(kind: string, names: TypeNames): void {
    this.#anyVersion.set(kind, names);
  }

  has(kind: GroupVersionKind): boolean {
    return this.#typeOf(kind) !== undefined;
  }

  #typeOf(kind: GroupVersionKind): TypeNames | undefined {
    return this.#types.get(keyOf(kind)) ?? this.#anyVersion.get(kind.kind);
  }

  /** Why an object is none of the expected kind; undefined where it is another version of it. */
  refusal(said: GroupVersionKind, expected: GroupVersionKind): string | undefined {
    const type = this.#typeOf(said);
    const wanted = this.#types.get(keyOf(expected))?.home ?? '';
    if (type === undefined)
      return `no kind ${goQuoted(said.kind)} is registered for ${versionText(said)} in scheme "${this.#name}"`;
    if (type.home === wanted && said.kind === expected.kind) return undefined;
    return `converting (${type.of}.${said.kind}) to (${wanted}.${expected.kind}): unknown conversion`;
  }
}

const versionText = (said: GroupVersionKind): string =>
  said.version === '__internal'
    ? `the internal version of group ${goQuoted(said.group)}`
    : `version ${goQuoted(formatApiVersion(said))}`;

const keyOf = (kind: GroupVersionKind): string => `${formatApiVersion(kind)} ${kind.kind}`;

/** What a body says it is, completed by what it is expected to be. */
export function saidKind(apiVersion: string, kind: string, expected: GroupVersionKind): GroupVersionKind {
  const { group, version } = parseApiVersion(apiVersion === '/' ? '' : apiVersion) ?? expected;
  const isVersionless = version === '' && group === expected.group;
  return { group, version: isVersionless ? expected.version : version, kind: kind === '' ? expected.kind : kind };
}
