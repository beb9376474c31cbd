// What is wrong with volumes that show keys and fields as files.

import { forbiddenField, invalidValue, required } from '../../../../meta/field-errors.ts';
import { findEach } from '../../../../meta/find-each.ts';
import type { FieldError } from '../../../../meta/status.ts';
import type { Infer } from '../../../../schema/types.ts';
import { checked, requiredChecked, type ValidationErrors } from '../../../rules.ts';
import { validateFieldRef, validateResourceRef } from '../pod/downward-rules.ts';
import { checkFilePath } from './path-rules.ts';
import type { downwardAPIVolumeFile, keyToPath, projectedVolumeSource, volumeProjection } from './projected-volume.ts';

type KeyToPath = Infer<typeof keyToPath>;
type DownwardFile = Infer<typeof downwardAPIVolumeFile>;
type Projected = Infer<typeof projectedVolumeSource>;
type Projection = Infer<typeof volumeProjection>;

export function validateMode(mode: number | undefined, at: string): ValidationErrors {
  if (mode === undefined || (mode >= 0 && mode <= 0o777)) return [];
  return [invalidValue(at, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}

interface Keyed {
  readonly items?: readonly KeyToPath[];
  readonly defaultMode?: number;
}

export function validateKeyed({ items = [], defaultMode }: Keyed, at: string): ValidationErrors {
  return [
    ...validateMode(defaultMode, `${at}.defaultMode`),
    ...findEach(items, (item, i) => validateKeyToPath(item, `${at}.items[${i}]`)),
  ];
}

function validateKeyToPath({ key, path, mode }: KeyToPath, at: string): ValidationErrors {
  return [
    ...(key ? [] : [required(`${at}.key`)]),
    ...requiredChecked(`${at}.path`, path, checkFilePath),
    ...validateMode(mode, `${at}.mode`),
  ];
}

/** compat: validation errors about a file are reported at the source, without its place in the list */
export function validateDownwardFile(
  { path, fieldRef, resourceFieldRef, mode }: DownwardFile,
  at: string,
): ValidationErrors {
  const errors: FieldError[] = [...requiredChecked(`${at}.path`, path, checkFilePath)];
  if (fieldRef) {
    errors.push(...validateFieldRef(fieldRef, `${at}.fieldRef`, 'file'));
    if (resourceFieldRef) {
      const detail = 'fieldRef and resourceFieldRef can not be specified simultaneously';
      errors.push(invalidValue(at, 'resource', detail));
    }
  } else if (resourceFieldRef) {
    errors.push(...validateResourceRef(resourceFieldRef, `${at}.resourceFieldRef`, true));
  } else errors.push(required(at, 'one of fieldRef and resourceFieldRef is required'));
  return [...errors, ...validateMode(mode, `${at}.mode`)];
}

export function validateProjected({ sources, defaultMode }: Projected, at: string): ValidationErrors {
  const paths = new Set<string>();
  return [
    ...validateMode(defaultMode, `${at}.defaultMode`),
    ...findEach(sources ?? [], (source, i) => [
      ...validateProjection(source, `${at}.sources[${i}]`, at),
      ...repeatedPaths(source, paths, at),
    ]),
  ];
}

function validateProjection(source: Projection, at: string, volumeAt: string): ValidationErrors {
  const count = countGiven(source);
  const { secret, configMap, downwardAPI, serviceAccountToken: token } = source;
  return [
    ...(secret ? [...nameOf(secret, `${at}.secret`), ...validateKeyed(secret, `${at}.secret`)] : []),
    ...(configMap ? [...nameOf(configMap, `${at}.configMap`), ...validateKeyed(configMap, `${at}.configMap`)] : []),
    ...findEach(downwardAPI?.items ?? [], (item) => validateDownwardFile(item, `${at}.downwardAPI`)),
    ...(token ? validateToken(token, `${at}.serviceAccountToken`, volumeAt) : []),
    ...(count > 1 ? [forbiddenField(at, 'may not specify more than 1 volume type per source')] : []),
  ];
}

function countGiven(source: Projection): number {
  let count = 0;
  for (const name in source) if (source[name as keyof Projection] !== undefined) count++;
  return count;
}

const nameOf = ({ name }: { readonly name?: string }, at: string): ValidationErrors =>
  name ? [] : [required(`${at}.name`)];

const minTokenSeconds = 600;
const maxTokenSeconds = 2 ** 32;

/** compat: what is wrong with the path of a token is reported at the volume, not at the token */
function validateToken(
  { path, expirationSeconds: seconds = 0 }: NonNullable<Projection['serviceAccountToken']>,
  at: string,
  volumeAt: string,
): ValidationErrors {
  const field = `${at}.expirationSeconds`;
  return [
    ...(seconds < minTokenSeconds
      ? [invalidValue(field, seconds, 'may not specify a duration less than 10 minutes')]
      : []),
    ...(seconds > maxTokenSeconds
      ? [invalidValue(field, seconds, 'may not specify a duration larger than 2^32 seconds')]
      : []),
    ...(path ? checked(`${volumeAt}.path`, path, checkFilePath) : [required(`${volumeAt}.path`)]),
  ];
}

/** Two sources cannot write the same file; tokens are not looked at. Who wrote it is shown by name, fields by their file. */
function repeatedPaths(
  { secret, configMap, downwardAPI }: Projection,
  seen: Set<string>,
  at: string,
): ValidationErrors {
  if (!secret?.items && !configMap?.items && !downwardAPI?.items) return [];
  const files = [
    ...(secret?.items ?? []).map(({ path }) => ({ path, shown: secret?.name ?? '' })),
    ...(configMap?.items ?? []).map(({ path }) => ({ path, shown: configMap?.name ?? '' })),
    ...(downwardAPI?.items ?? []).map(({ path }) => ({ path, shown: path })),
  ];
  return findEach(files, ({ path = '', shown }) => {
    if (path === '') return [];
    if (seen.has(path)) return [invalidValue(at, shown, 'conflicting duplicate paths')];
    seen.add(path);
    return [];
  });
}
