// A configuration file: YAML or JSON of one kind, in one of its versions, with nothing in it that the kind does not know.

import { isJsonObject, type JsonObject } from '../base/json/json.ts';
import type { StructType } from '../schema/types.ts';
import { parseYaml } from './body.ts';
import { decodeObject } from './decode-object.ts';
import { strictErrors } from './strict.ts';

interface ConfigurationKind {
  readonly group: string;
  /** The first is the one to use. */
  readonly versions: readonly string[];
  readonly kind: string;
  readonly type: StructType;
  /** What the kind was once called; a file that says so is read with a warning. */
  readonly olderNames?: readonly OlderName[];
}

interface OlderName {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Receives what an operator should change about a file that is read all the same. */
export type WarnOfFile = (text: string) => void;

/** Throws an error in words for anything that is not exactly such a file. */
export async function decodeConfigurationFile(
  bytes: Uint8Array,
  expected: ConfigurationKind,
  warn: WarnOfFile = () => {},
): Promise<object> {
  const { group, versions, kind, type } = expected;
  const [current = ''] = versions;
  if (bytes.length === 0) throw new Error('the file is empty');
  const parsed = await parseYaml(bytes);
  const { value } = parsed;
  if (!isJsonObject(value)) throw new Error(`the file holds no ${kind}`);
  const version = versions.find((one) => value['apiVersion'] === `${group}/${one}` && value['kind'] === kind);
  const { object, unknownFields } =
    version === undefined
      ? decodeObject({ group, version: current, kind, type }, renamed(value, expected, warn))
      : decodeObject({ group, version, kind, type }, value);
  const errors = strictErrors(parsed, unknownFields);
  if (errors.length > 0) throw new Error(`strict decoding error: ${errors.join(', ')}`);
  return object;
}

/** A value under an older name of its kind, as if it said the name of today. */
function renamed(value: JsonObject, { group, versions, kind, olderNames = [] }: ConfigurationKind, warn: WarnOfFile) {
  const { kind: givenKind, apiVersion } = value;
  const today = `${kind} in ${group}/${versions[0]}`;
  if (!olderNames.some((older) => older.kind === givenKind && older.apiVersion === apiVersion))
    throw new Error(
      `no kind ${JSON.stringify(givenKind)} is known in version ${JSON.stringify(apiVersion)}, use ${today}`,
    );
  warn(`${String(givenKind)} in ${String(apiVersion)} is deprecated, use ${today}`);
  return { ...value, kind, apiVersion: `${group}/${versions[0]}` };
}
