// A configuration file: YAML or JSON of one kind, in one of its versions, with nothing in it that the kind does not know.

import { isJsonObject } from '../base/json.ts';
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
}

/** Throws an error in words for anything that is not exactly such a file. */
export async function decodeConfigurationFile(
  bytes: Uint8Array,
  { group, versions, kind, type }: ConfigurationKind,
): Promise<object> {
  if (bytes.length === 0) throw new Error('the file is empty');
  const parsed = await parseYaml(bytes);
  const { value } = parsed;
  if (!isJsonObject(value)) throw new Error(`the file holds no ${kind}`);
  const version = versions.find((one) => value['apiVersion'] === `${group}/${one}`);
  if (version === undefined || value['kind'] !== kind) {
    const given = `kind ${JSON.stringify(value['kind'])} is known in version ${JSON.stringify(value['apiVersion'])}`;
    throw new Error(`no ${given}, use ${kind} in ${group}/${versions[0]}`);
  }
  const { object, unknownFields } = decodeObject({ group, version, kind, type }, value);
  const errors = strictErrors(parsed, unknownFields);
  if (errors.length > 0) throw new Error(`strict decoding error: ${errors.join(', ')}`);
  return object;
}
