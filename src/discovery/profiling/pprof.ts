// The format of pprof: stacks with counted values, as one protobuf message. `go tool pprof` and its kin read it.

import { ProtobufWriter } from '../../codec/protobuf/writer.ts';

export interface Frame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

/** What was counted, such as `['cpu', 'nanoseconds']`. */
type ValueType = readonly [type: string, unit: string];

export interface StackProfile {
  readonly types: readonly ValueType[];
  /** Innermost frame first; a value for each type. */
  readonly samples: readonly { readonly frames: readonly Frame[]; readonly values: readonly number[] }[];
  readonly startedMs: number;
  readonly durationMs: number;
  readonly period: { readonly type: ValueType; readonly value: number };
}

/** Numbers of fields in profile.proto of pprof. */
const fields = {
  sampleType: 1,
  sample: 2,
  location: 4,
  function: 5,
  text: 6,
  time: 9,
  duration: 10,
  periodType: 11,
  period: 12,
};

export function writePprof(profile: StackProfile): Buffer {
  const texts = new Numbered<string>(0);
  texts.numberOf('');
  const places = new Numbered<string>(1);
  const functions = new Numbered<string>(1);
  const locations: Frame[] = [];
  const locationOf = (frame: Frame): number => {
    const id = places.numberOf(`${frame.url}\n${frame.functionName}\n${frame.lineNumber}`);
    if (id > locations.length) locations.push(frame);
    return id;
  };
  const writer = new ProtobufWriter();
  const valueType = (number: number, [type, unit]: ValueType) =>
    writer.message(number, (one) => one.integer(1, texts.numberOf(type)).integer(2, texts.numberOf(unit)));
  for (const type of profile.types) valueType(fields.sampleType, type);
  for (const { frames, values } of profile.samples)
    writer.message(fields.sample, (one) => {
      for (const frame of frames) one.integer(1, locationOf(frame));
      for (const value of values) one.integer(2, Math.round(value));
    });
  for (const [index, frame] of locations.entries()) {
    const id = functions.numberOf(`${frame.url}\n${frame.functionName}`);
    writer.message(fields.location, (one) =>
      one.integer(1, index + 1).message(4, (line) => line.integer(1, id).integer(2, frame.lineNumber + 1)),
    );
  }
  for (const [key, id] of functions.entries) {
    const [url = '', name = ''] = key.split('\n');
    const [named, file] = [texts.numberOf(name || '(anonymous)'), texts.numberOf(url)];
    writer.message(fields.function, (one) => one.integer(1, id).integer(2, named).integer(3, named).integer(4, file));
  }
  valueType(fields.periodType, profile.period.type);
  for (const [text] of texts.entries) writer.string(fields.text, text);
  return writer
    .integer(fields.time, BigInt(Math.round(profile.startedMs)) * 1_000_000n)
    .integer(fields.duration, Math.round(profile.durationMs * 1e6))
    .integer(fields.period, profile.period.value)
    .finish();
}

/** Gives each key a number when it is first used. */
class Numbered<K> {
  readonly #numbers = new Map<K, number>();
  readonly #first: number;

  constructor(first: number) {
    this.#first = first;
  }

  numberOf(key: K): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#numbers.size + this.#first;
    this.#numbers.set(key, number);
    return number;
  }

  get entries(): Iterable<readonly [K, number]> {
    return this.#numbers;
  }
}
