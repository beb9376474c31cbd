// What a container may learn about its own pod: fields and resources.

import { invalidValue, notSupported, required } from '../../../../meta/field-errors.ts';
import { checkQualifiedName } from '../../../../meta/names.ts';
import { canonicalQuantity } from '../../../../meta/quantity.ts';
import type { Infer } from '../../../../schema/types.ts';
import { checked, type ValidationErrors } from '../../../rules.ts';
import type { objectFieldSelector, resourceFieldSelector } from './environment.ts';

/** Variables see other fields than files do. */
type SeenBy = 'env' | 'file';

const fields: Readonly<Record<SeenBy, readonly string[]>> = {
  env: [
    'metadata.name',
    'metadata.namespace',
    'metadata.uid',
    'spec.nodeName',
    'spec.serviceAccountName',
    'status.hostIP',
    'status.hostIPs',
    'status.podIP',
    'status.podIPs',
  ],
  file: ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid'],
};
const known = new Set([...fields.env, ...fields.file, 'spec.restartPolicy', 'spec.schedulerName', 'status.phase']);

export function validateFieldRef(ref: Infer<typeof objectFieldSelector>, at: string, by: SeenBy): ValidationErrors {
  const { apiVersion, fieldPath } = ref;
  if (!apiVersion) return [required(`${at}.apiVersion`)];
  if (!fieldPath) return [required(`${at}.fieldPath`)];
  const field = `${at}.fieldPath`;
  if (apiVersion !== 'v1')
    return [invalidValue(field, fieldPath, `error converting fieldPath: unsupported pod version: ${apiVersion}`)];
  const { path, key } = withoutKey(fieldPath);
  // compat: a key that is no name is reported at the reference, not at its path
  if (key !== undefined && path === 'metadata.annotations') return checked(at, key.toLowerCase(), checkQualifiedName);
  if (key !== undefined && path === 'metadata.labels') return checked(at, key, checkQualifiedName);
  if (!known.has(fieldPath)) {
    const cannot = key === undefined ? 'field label not supported' : 'field label does not support subscript';
    return [invalidValue(field, fieldPath, `error converting fieldPath: ${cannot}: ${fieldPath}`)];
  }
  return fields[by].includes(fieldPath) ? [] : [notSupported(field, fieldPath, fields[by])];
}

/** The list and the key in `metadata.labels['key']`. */
function withoutKey(fieldPath: string): { readonly path: string; readonly key?: string } {
  const start = fieldPath.indexOf("['");
  if (start < 1 || !fieldPath.endsWith("']") || fieldPath.length < start + 4) return { path: fieldPath };
  return { path: fieldPath.slice(0, start), key: fieldPath.slice(start + 2, -2) };
}

const resources = ['cpu', 'ephemeral-storage', 'memory'].flatMap((name) => [`limits.${name}`, `requests.${name}`]);
const cpuDivisors = ['1m', '1'];
const byteDivisors = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

export function validateResourceRef(
  ref: Infer<typeof resourceFieldSelector>,
  at: string,
  needsContainer: boolean,
): ValidationErrors {
  const { containerName, resource = '' } = ref;
  const divisor = validateDivisor(ref.divisor, resource, `${at}.divisor`);
  if (needsContainer && !containerName) return [required(`${at}.containerName`), ...divisor];
  if (resource === '') return [required(`${at}.resource`), ...divisor];
  if (resources.includes(resource) || hugePages.test(resource)) return divisor;
  return [notSupported(`${at}.resource`, resource, [...resources].sort()), ...divisor];
}

const wordsFor: Readonly<Record<string, string>> = {
  cpu: 'cpu',
  memory: 'memory',
  'ephemeral-storage': 'local ephemeral storage',
};

const hugePages = /^(limits|requests)\.hugepages-/;

/** compat: a divisor is one of a few texts, not one of a few numbers */
function validateDivisor(given: string | undefined, resource: string, at: string): ValidationErrors {
  const text = canonicalQuantity(given ?? '0') ?? '0';
  if (text === '0' || (!resources.includes(resource) && !hugePages.test(resource))) return [];
  const name = resource.slice(resource.indexOf('.') + 1);
  const [allowed, shown] = name === 'cpu' ? [cpuDivisors, '1m and 1'] : [byteDivisors, byteDivisors.join(', ')];
  if (allowed.includes(text)) return [];
  const what = wordsFor[name] ?? 'hugepages';
  // compat: the resource is shown where the divisor is meant
  return [invalidValue(at, resource, `only divisor's values ${shown} are supported with the ${what} resource`)];
}
