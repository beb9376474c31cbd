// Values as a deep printer of Go writes them: every field of every struct with its type, also those that are not set.
// kube-controller-manager hashes pod templates in this form.

import type { Field, ScalarName, SchemaType, StructType } from '../../schema/types.ts';
import { goNameOf, goNameOfField, goNameOfItems } from './go-names.ts';

/** A struct with its type, as if all of its fields were set. */
export function goDump(type: StructType, value: unknown): string {
  return `(${goNameOf(type)})${dumpStruct(type, value)}`;
}

type Fields = Readonly<Record<string, unknown>>;

const dumpStruct = (type: StructType, value: unknown): string =>
  dumpFields(type, type.fields, (value ?? {}) as Fields, 0);

/** Fields that Go keeps in a struct of their own are written in that. */
function dumpFields(type: StructType, fields: readonly Field[], value: Fields, depth: number): string {
  const parts: string[] = [];
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i] as Field;
    const inner = field.inlined?.[depth];
    if (inner === undefined) {
      parts.push(`${goNameIn(type, field)}:${dumpField(type, field, value[field.name])}`);
      continue;
    }
    const from = i;
    while (fields[i + 1]?.inlined?.[depth] === inner) i++;
    const group = dumpFields(type, fields.slice(from, i + 1), value, depth + 1);
    parts.push(`${inner}:(${packageOf(type)}.${inner})${group}`);
  }
  return `{${parts.join(' ')}}`;
}

const packageOf = ({ home }: StructType): string => home.slice(home.lastIndexOf('/') + 1);

function dumpField(owner: StructType, field: Field, value: unknown): string {
  const name = goNameOfField(owner, field);
  if (field.pointer === undefined) return `(${name})${dumpValue(field.type, name, value)}`;
  return `(*${name})${value === undefined || value === null ? '<nil>' : dumpValue(field.type, name, value)}`;
}

function dumpValue(type: SchemaType, name: string, value: unknown): string {
  switch (type.is) {
    case 'scalar':
      return scalars[type.name](value);
    case 'list': {
      const items = (value ?? []) as readonly unknown[];
      const of = goNameOfItems(name, type.of);
      return items.length === 0 ? '<nil>' : `[${items.map((item) => dumpValue(type.of, of, item)).join(' ')}]`;
    }
    case 'map': {
      const entries = Object.entries((value ?? {}) as Fields).sort(([a], [b]) => (a < b ? -1 : 1));
      const of = goNameOfItems(name, type.of);
      const shown = entries.map(([key, item]) => `${key}:${dumpValue(type.of, of, item)}`);
      return entries.length === 0 ? '<nil>' : `map[${shown.join(' ')}]`;
    }
    case 'struct':
      return dumpStruct(type, value);
    case 'union':
      return '<nil>';
  }
}

const text = (value: unknown): string => String(value ?? '');
const numeric = (value: unknown): string => String(value ?? 0);

const noTime = '{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}';

/** No template has a time, bytes or an object of any kind that is set. */
const scalars: Readonly<Record<ScalarName, (value: unknown) => string>> = {
  string: text,
  int32: numeric,
  int64: numeric,
  double: numeric,
  bool: (value) => String(value ?? false),
  bytes: () => '<nil>',
  'date-time': () => noTime,
  'micro-time': () => noTime,
  quantity: (value) => dumpQuantity(text(value)),
  'int-or-string': dumpIntOrString,
  'raw-extension': () => '{Raw:([]uint8)<nil> Object:(runtime.Object)<nil>}',
  'any-json': () => '{Raw:([]uint8)<nil>}',
  'fields-v1': () => '{Raw:([]uint8)<nil>}',
};

function dumpIntOrString(value: unknown): string {
  const isText = typeof value === 'string';
  return `{Type:(intstr.Type)${isText ? 1 : 0} IntVal:(int32)${isText ? 0 : numeric(value)} StrVal:(string)${isText ? value : ''}}`;
}

const plainAmount = /^(-?)(\d+)([a-zA-Z]*)$/;
const decimalUnits = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binaryUnits = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** An amount as it is stored: digits and a unit. Go keeps its text where it knows that it would write the same again. */
function dumpQuantity(amount: string): string {
  const [, sign = '', digits = '0', unit = ''] = plainAmount.exec(amount) ?? [];
  const power = unit === '' ? 0 : binaryUnits.indexOf(unit);
  const isBinary = power > 0;
  const value = BigInt(digits) * (isBinary ? 1024n ** BigInt(power) : 1n);
  const scale = isBinary || value === 0n ? 0 : decimalUnits.indexOf(unit) * 3 - 9;
  const keepsText = isBinary ? BigInt(digits) % 8n !== 0n : !digits.endsWith('000');
  const int64 = `{value:(int64)${sign}${value} scale:(resource.Scale)${scale}}`;
  const format = isBinary ? 'BinarySI' : 'DecimalSI';
  return `{i:(resource.int64Amount)${int64} d:(resource.infDecAmount){Dec:(*inf.Dec)<nil>} s:(string)${keepsText ? amount : ''} Format:(resource.Format)${format}}`;
}

/** Words that Go names write in capitals, wherever they stand in the name of a field. */
const goNames: Readonly<Record<string, string>> = {
  ...{ metadata: 'ObjectMeta', uid: 'UID', apiVersion: 'APIVersion', apiGroup: 'APIGroup', os: 'OS', ip: 'IP' },
  ...{ gcePersistentDisk: 'GCEPersistentDisk', awsElasticBlockStore: 'AWSElasticBlockStore', nfs: 'NFS', fc: 'FC' },
  ...{ iscsi: 'ISCSI', iqn: 'IQN', iscsiInterface: 'ISCSIInterface', rbd: 'RBD', cephfs: 'CephFS', csi: 'CSI' },
  ...{ chapAuthDiscovery: 'DiscoveryCHAPAuth', chapAuthSession: 'SessionCHAPAuth', pdName: 'PDName', fsType: 'FSType' },
  ...{ wwids: 'WWIDs', diskURI: 'DataDiskURI', sslEnabled: 'SSLEnabled', storageos: 'StorageOS', tty: 'TTY' },
  ...{ httpGet: 'HTTPGet', httpHeaders: 'HTTPHeaders', tcpSocket: 'TCPSocket', grpc: 'GRPC' },
  ...{ seLinuxOptions: 'SELinuxOptions', seLinuxChangePolicy: 'SELinuxChangePolicy', fsGroup: 'FSGroup' },
  ...{ gmsaCredentialSpecName: 'GMSACredentialSpecName', gmsaCredentialSpec: 'GMSACredentialSpec' },
  ...{ fsGroupChangePolicy: 'FSGroupChangePolicy', dnsPolicy: 'DNSPolicy', dnsConfig: 'DNSConfig' },
  serviceAccount: 'DeprecatedServiceAccount',
};

/** Fields that have a name of their own in one struct. */
const goNamesIn: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  RBDVolumeSource: { monitors: 'CephMonitors', image: 'RBDImage', pool: 'RBDPool', user: 'RadosUser' },
  GlusterfsVolumeSource: { endpoints: 'EndpointsName' },
};

const goNameIn = (type: StructType, { name }: Field): string =>
  goNamesIn[type.name]?.[name] ?? goNames[name] ?? `${(name[0] as string).toUpperCase()}${name.slice(1)}`;
