// What differs from run to run is replaced by its name. Values that say which object or which write is meant are
// numbered in the order in which they appear, so that a wrong one is still noticed.

import { isJsonObject, type JsonObject } from '../../src/base/json/json.ts';

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const jwt = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g;
const pem = /-----BEGIN ([A-Z ]+)-----[^-]+-----END [A-Z ]+-----\n?/g;

/** Certificates and tokens of a cluster live longer than a run; times in requests are of the past. */
const nearMs = 400 * 24 * 3600_000;

/** Columns of tables that tell how long ago something was. */
const ageColumns: ReadonlySet<string> = new Set(['Age', 'Duration', 'Last Seen', 'First Seen', 'Last Schedule']);

/** Fields whose values a server chooses, and what they are called. */
const chosen: Readonly<Record<string, string>> = {
  clusterIP: 'address',
  clusterIPs: 'address',
  nodePort: 'port',
  healthCheckNodePort: 'port',
};

/** Those that write on behalf of the cluster: programs of other names do so elsewhere. */
export const servers: ReadonlySet<string> = new Set(['kube-apiserver', 'kube-controller-manager']);

export class Mask {
  readonly #names: readonly (readonly [text: string, name: string])[];
  readonly #numbers = new Map<string, Map<string, number>>();

  /** `names` are texts of this run, such as its namespace, and what stands for them. */
  constructor(names: readonly (readonly [text: string, name: string])[]) {
    this.#names = names;
  }

  text(text: string): string {
    let masked = text;
    for (const [own, name] of this.#names)
      masked = masked.replaceAll(own, name).replaceAll(Buffer.from(own).toString('hex'), name);
    for (const [value, number] of this.#numbers.get('address') ?? [])
      masked = masked.replaceAll(value, `<address ${number}>`);
    for (const [value, number] of this.#numbers.get('port') ?? [])
      masked = masked.replaceAll(`:${value}/`, `:<port ${number}>/`);
    return masked
      .replace(jwt, '<token>')
      .replace(/(resourceVersion\\?":\\?"|resourceVersion: ")\d+/g, '$1<version>')
      .replace(/(ResourceVersion in [a-z ]+(?:: | \())\d+/g, '$1<version>')
      .replace(/ in scheme "[^"]+"/g, ' in scheme "<scheme>"')
      .replace(/X509SHA256=[0-9a-f]{64}/g, 'X509SHA256=<hash>')
      .replace(/hash=(?:[0-9A-F]{64}){1,2}/g, 'hash=<hash>')
      .replace(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-<suffix>')
      .replace(pem, (_, label: string) => `<${label.toLowerCase()}>`)
      .replace(uuid, (found) => this.#numbered('uid', found))
      .replace(time, (found, fraction?: string) => maskedTime(found, fraction));
  }

  value(value: unknown, key = '', inList = false): unknown {
    if (typeof value === 'string') return this.#member(value, key, inList);
    if (typeof value === 'number') return this.#number(value, key);
    if (Array.isArray(value)) return this.#items(value, key);
    return isJsonObject(value) ? this.#object(value) : value;
  }

  #number(value: number, key: string): unknown {
    const isKnown = value > 1024 && this.#numbers.get('port')?.has(String(value)) === true;
    return isKnown || (chosen[key] !== undefined && value > 0) ? this.#numbered('port', String(value)) : value;
  }

  #member(text: string, key: string, inList: boolean): string {
    if (key === 'resourceVersion' && /^[1-9]\d*$/.test(text))
      return inList ? '<version>' : this.#numbered('version', text);
    if (key === 'storageVersionHash') return '<hash>';
    if (key === 'continue' && text !== '') return '<continue>';
    if (chosen[key] !== undefined && text !== '' && text !== 'None') return this.#numbered('address', text);
    if (key === 'manager' && servers.has(text)) return '<server>';
    return this.text(text);
  }

  #items(items: readonly unknown[], key: string): unknown {
    const masked = items.map((item) => this.value(item, chosen[key] === undefined ? '' : key));
    return key === 'managedFields' ? masked.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1)) : masked;
  }

  #object(object: JsonObject): JsonObject {
    const inList = 'items' in object || 'rows' in object || isBookmark(object);
    // numbers are given in an order that does not depend on the order of members
    const masked = new Map(
      Object.keys(object)
        .sort()
        .map((key) => [key, key === 'metadata' && inList ? this.#listMeta(object[key]) : this.value(object[key], key)]),
    );
    const shown = Object.fromEntries(Object.keys(object).map((key) => [this.text(key), masked.get(key)])) as JsonObject;
    if (object['kind'] === 'Table') return maskedTable(shown);
    return object['kind'] === 'Status' ? sortedCauses(shown) : shown;
  }

  #listMeta(metadata: unknown): unknown {
    if (!isJsonObject(metadata)) return metadata;
    return Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, this.value(value, key, true)]));
  }

  #numbered(name: string, value: string): string {
    const numbers = this.#numbers.get(name) ?? new Map<string, number>();
    this.#numbers.set(name, numbers);
    const number = numbers.get(value) ?? numbers.size + 1;
    numbers.set(value, number);
    return `<${name} ${number}>`;
  }
}

/** The object of a bookmark says nothing but a version, which any write in the cluster moves. */
function isBookmark(object: JsonObject): boolean {
  const { metadata } = object;
  return isJsonObject(metadata) && metadata['uid'] === undefined && metadata['name'] === undefined;
}

function orderOf(entry: unknown): string {
  const { operation, manager, subresource, apiVersion } = entry as Record<string, unknown>;
  return [operation, manager, subresource, apiVersion].map(String).join(' ');
}

function maskedTime(found: string, fraction: string | undefined): string {
  if (Math.abs(Date.parse(found) - Date.now()) > nearMs) return found;
  return fraction === undefined ? '<time>' : `<time.${fraction.length - 1}>`;
}

/** Several causes come in any order, also from one server: they are sorted, and the message only says that there are several. */
function sortedCauses(status: JsonObject): JsonObject {
  const details = status['details'] as { causes?: unknown[] } | undefined;
  if (details?.causes === undefined || details.causes.length < 2) return status;
  const causes = details.causes.map((cause) => JSON.stringify(cause)).sort();
  const message = String(status['message']).replace(/ is invalid: \[.*\]$/s, ' is invalid: [<causes>]');
  return {
    ...status,
    message,
    details: { ...details, causes: causes.map((cause) => JSON.parse(cause) as unknown) },
  } as JsonObject;
}

/** Ages move on, and every server describes its columns in its own words. */
function maskedTable(table: JsonObject): JsonObject {
  const { columnDefinitions = [], rows = [] } = table as {
    columnDefinitions?: { name: string }[] | null;
    rows?: JsonObject[] | null;
  };
  const mask = (cell: unknown, at: number) =>
    ageColumns.has(columnDefinitions?.[at]?.name ?? '') && /^\d+[smh]/.test(String(cell)) ? '<age>' : cell;
  // a watch tells its columns once
  const columns = columnDefinitions?.map((column) => ({ ...column, description: '<description>' })) ?? null;
  return {
    ...table,
    columnDefinitions: columns,
    rows: rows === null ? null : rows.map((row) => ({ ...row, cells: (row['cells'] as unknown[]).map(mask) })),
  } as JsonObject;
}
