// The EncryptionConfiguration file. Objects are not encrypted here: a file that asks for it is refused, since a cluster
// whose secrets are only thought to be encrypted is worse than one that does not start.

import { isJsonObject } from '../base/json.ts';
import { parseYaml } from '../codec/body.ts';
import { OptionError } from './option-error.ts';
import { readOptionFile } from './option-file.ts';

const option = 'encryptionProviderConfig';
const kind = 'EncryptionConfiguration';

/** Throws unless every provider of the file is `identity`, which stores objects as they are. */
export async function checkEncryptionFile(path: string): Promise<void> {
  const { value } = await parseYaml(readOptionFile(option, path));
  if (!isJsonObject(value) || value['kind'] !== kind) throw new OptionError(`${option}: the file holds no ${kind}`);
  const resources = Array.isArray(value['resources']) ? value['resources'] : [];
  const other = resources.flatMap(providersOf).find((name) => name !== 'identity');
  if (other !== undefined)
    throw new OptionError(
      `${option}: provider ${JSON.stringify(other)} is not available, objects are not encrypted here; only identity is`,
    );
}

function providersOf(entry: unknown): readonly string[] {
  const providers = isJsonObject(entry) && Array.isArray(entry['providers']) ? entry['providers'] : [];
  return providers.flatMap((provider) => (isJsonObject(provider) ? Object.keys(provider) : ['']));
}
