// Messages that every expression of Kubernetes may write, as `google.protobuf.Int32Value{value: 1}`: each stands for a
// value of the language.

import { checkedDuration, checkedTimestamp, formatDuration, formatTimestamp } from './time.ts';
import {
  anyValue,
  bool,
  bytes,
  type CelType,
  double,
  duration,
  dyn,
  int,
  list,
  map,
  nullType,
  type PlainType,
  string,
  timestamp,
  uint,
} from './types.ts';
import {
  DurationValue,
  EntryMap,
  EvaluationError,
  ListValue,
  MapValue,
  noSuchOverload,
  TimestampValue,
  UintValue,
  type Value,
} from './values.ts';

export interface WellKnownMessage {
  /** Of what the message stands for. */
  readonly type: CelType;
  readonly fields: Readonly<Record<string, CelType>>;
  readonly make: (fields: Readonly<Record<string, Value>>) => Value;
}

type Narrow = (value: Value) => Value;

const within =
  (fits: (value: bigint) => boolean, message: string): Narrow =>
  (value) => {
    if (!fits(value instanceof UintValue ? value.value : (value as bigint))) throw new EvaluationError(message);
    return value;
  };
const same: Narrow = (value) => value;
const int32 = within((value) => value >= -(2n ** 31n) && value < 2n ** 31n, 'integer overflow');
const uint32 = within((value) => value < 2n ** 32n, 'unsigned integer overflow');
const float: Narrow = (value) => Math.fround(value as number);

/** A value of a type or null. */
const wrapper = (of: PlainType, zero: Value, narrow: Narrow = same): WellKnownMessage => ({
  type: { ...of, nullable: true },
  fields: { value: of },
  make: ({ value = zero }) => narrow(value),
});

const maxSafe = BigInt(Number.MAX_SAFE_INTEGER);

/** JSON has one kind of number; integers that it cannot hold are texts. */
function asJson(value: Value): Value {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number')
    return value;
  if (typeof value === 'bigint') return value <= maxSafe && value >= -maxSafe ? Number(value) : String(value);
  if (value instanceof UintValue) return asJson(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof TimestampValue) return formatTimestamp(value);
  if (value instanceof DurationValue) return formatDuration(value);
  if (value instanceof ListValue) return new ListValue(value.toArray().map(asJson));
  if (value instanceof MapValue) return asJsonMap(value);
  throw noSuchOverload();
}

function asJsonMap(entries: MapValue): EntryMap {
  const result = new EntryMap();
  for (const key of entries.keys())
    result.insert(String(key instanceof UintValue ? key.value : key), asJson(entries.get(key) as Value));
  return result;
}

const second = 1_000_000_000n;
const nanoseconds = ({ seconds = 0n, nanos = 0n }: Readonly<Record<string, Value>>): bigint =>
  (seconds as bigint) * second + (int32(nanos) as bigint);
const timeFields = { seconds: int, nanos: int };
const emptyList = new ListValue([]);
const emptyMap = new EntryMap();

/** The one field of a JSON value that is set; none is null. */
function jsonOf(fields: Readonly<Record<string, Value>>): Value {
  const [value = null] = Object.values(fields);
  return asJson(value);
}

const messages: ReadonlyMap<string, WellKnownMessage> = new Map<string, WellKnownMessage>([
  ['BoolValue', wrapper(bool, false)],
  ['BytesValue', wrapper(bytes, Buffer.alloc(0))],
  ['DoubleValue', wrapper(double, 0)],
  ['FloatValue', wrapper(double, 0, float)],
  ['Int32Value', wrapper(int, 0n, int32)],
  ['Int64Value', wrapper(int, 0n)],
  ['StringValue', wrapper(string, '')],
  ['UInt32Value', wrapper(uint, new UintValue(0n), uint32)],
  ['UInt64Value', wrapper(uint, new UintValue(0n))],
  ['Duration', { type: duration, fields: timeFields, make: (fields) => checkedDuration(nanoseconds(fields)) }],
  ['Timestamp', { type: timestamp, fields: timeFields, make: (fields) => checkedTimestamp(nanoseconds(fields)) }],
  ['ListValue', { type: list(dyn), fields: { values: list(dyn) }, make: ({ values = emptyList }) => asJson(values) }],
  [
    'Struct',
    { type: map(string, dyn), fields: { fields: map(string, dyn) }, make: ({ fields = emptyMap }) => asJson(fields) },
  ],
  [
    'Value',
    {
      type: dyn,
      fields: {
        null_value: nullType,
        number_value: double,
        string_value: string,
        bool_value: bool,
        struct_value: map(string, dyn),
        list_value: list(dyn),
      },
      make: jsonOf,
    },
  ],
  [
    'Any',
    {
      type: anyValue,
      fields: { type_url: string, value: bytes },
      // packed values are bytes of protobuf, which no expression of Kubernetes receives
      make: () => {
        throw new EvaluationError('conversion error: got invalid google.protobuf.Any message');
      },
    },
  ],
]);

const prefix = 'google.protobuf.';

export const wellKnownMessage = (name: string): WellKnownMessage | undefined =>
  name.startsWith(prefix) ? messages.get(name.slice(prefix.length)) : undefined;
