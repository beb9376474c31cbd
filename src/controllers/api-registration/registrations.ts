// The registrations that there should be: of every group-version that the server has of its own, once, when it starts; and of
// every one that a definition serves, for as long as one does.

import { findValue, itemsIn } from '../../base/json/json-member.ts';
import type { CustomResourceDefinition } from '../../groups/apiextensions/v1/custom-resource-definition-type.ts';
import { apiGroup, automanagedLabel, type Dialect } from '../../meta/dialect.ts';
import { formatApiVersion } from '../../meta/group-version.ts';
import type { ApiObject } from '../../meta/object.ts';
import { objectOf } from '../object-feed.ts';

/** What a registration says of a group-version: the greater, the earlier clients see it. */
export interface ServedApi {
  readonly group: string;
  readonly version: string;
  readonly priority: { readonly group: number; readonly version: number };
}

/** When a registration is brought in line with what is served. */
type Managed = 'onstart' | 'true';

export interface Registration {
  readonly object: ApiObject;
  readonly managed: Managed;
}

/** Custom resources come after what is built in, and their versions in the order of their names. */
const customPriority = { group: 1000, version: 100 };

export class Registrations {
  readonly #dialect: Dialect;
  readonly #own: ReadonlyMap<string, Registration>;
  /** Names of the registrations that each definition needs. */
  readonly #byDefinition = new Map<string, readonly string[]>();

  constructor(own: readonly ServedApi[], dialect: Dialect) {
    this.#dialect = dialect;
    this.#own = new Map(own.map((gv) => [nameOf(gv), { object: this.#objectOf(gv, 'onstart'), managed: 'onstart' }]));
  }

  get names(): Iterable<string> {
    return new Set([...this.#own.keys(), ...[...this.#byDefinition.values()].flat()]);
  }

  find(name: string): Registration | undefined {
    const own = this.#own.get(name);
    if (own !== undefined) return own;
    for (const names of this.#byDefinition.values()) if (names.includes(name)) return this.#custom(name);
    return undefined;
  }

  /** What a definition serves now, undefined for one that is gone; the registrations that may have to change. */
  learn(definition: string, json: Uint8Array | undefined): readonly string[] {
    const before = this.#byDefinition.get(definition) ?? [];
    const after = json === undefined ? [] : servedBy(json);
    if (after.length === 0) this.#byDefinition.delete(definition);
    else this.#byDefinition.set(definition, after);
    return [...before.filter((name) => !after.includes(name)), ...after.filter((name) => !before.includes(name))];
  }

  forget(): void {
    this.#byDefinition.clear();
  }

  #custom(name: string): Registration {
    const [version = '', ...group] = name.split('.');
    const served = { group: group.join('.'), version, priority: customPriority };
    return { object: this.#objectOf(served, 'true'), managed: 'true' };
  }

  #objectOf(served: ServedApi, managed: Managed): ApiObject {
    const { group, version, priority } = served;
    return {
      kind: 'APIService',
      apiVersion: formatApiVersion({ group: apiGroup(this.#dialect, 'apiregistration'), version: 'v1' }),
      metadata: { name: nameOf(served), labels: { [automanagedLabel(this.#dialect)]: managed } },
      spec: {
        ...(group === '' ? {} : { group }),
        version,
        groupPriorityMinimum: priority.group,
        versionPriority: priority.version,
      },
    };
  }
}

const nameOf = ({ group, version }: Pick<ServedApi, 'group' | 'version'>) => `${version}.${group}`;

/** Schemas are large: they are not parsed. */
function servedBy(json: Uint8Array): readonly string[] {
  try {
    const group = readAs<string>(findValue(json, ['spec', 'group'])) ?? '';
    const versions = findValue(json, ['spec', 'versions']) ?? nothing;
    return [...itemsIn(versions)].flatMap((item) => {
      const version = readAs<string>(findValue(item, ['name'])) ?? '';
      return readAs<boolean>(findValue(item, ['served'])) === true ? [nameOf({ group, version })] : [];
    });
  } catch {
    const { group = '', versions } = objectOf<CustomResourceDefinition>(json)?.spec ?? {};
    return (versions ?? []).flatMap(({ name = '', served }) => (served ? [nameOf({ group, version: name })] : []));
  }
}

const nothing = new Uint8Array();
const readAs = <T>(json: Uint8Array | undefined): T | undefined =>
  json === undefined ? undefined : (JSON.parse(Buffer.from(json).toString()) as T);
