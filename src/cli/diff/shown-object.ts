// Objects as a diff shows them: without what the server counts and dates, and without secrets.

import { isJsonObject } from '../../base/json/json.ts';
import { writeYaml } from '../../codec/yaml/write-yaml.ts';
import type { Comparison, PlainObject } from './diff-target.ts';

const serverFields = ['managedFields', 'resourceVersion', 'uid', 'creationTimestamp', 'generation', 'selfLink'];
/** The end of the name of an annotation that has the whole object in it, of a Secret its data too. */
const lastApplied = '/last-applied-configuration';

interface ShownTexts {
  readonly before: string;
  readonly after: string;
}

export function shownTexts({ before, after }: Comparison): ShownTexts {
  const [plainBefore, plainAfter] = [withoutServerFields(before), withoutServerFields(after)];
  const masked = maskSecrets(plainBefore, plainAfter);
  return { before: textOf(masked.before), after: textOf(masked.after) };
}

const textOf = (object: PlainObject | undefined) => (object === undefined ? '' : writeYaml(object).trimEnd());

function withoutServerFields(object: PlainObject | undefined): PlainObject | undefined {
  if (object === undefined) return undefined;
  const { status: _, ...shown } = object;
  const metadata = isJsonObject(shown['metadata']) ? shown['metadata'] : {};
  const members = Object.entries(metadata).filter(([key]) => !serverFields.includes(key));
  return { ...shown, metadata: withoutLastApplied(Object.fromEntries(members)) };
}

function withoutLastApplied(metadata: PlainObject): PlainObject {
  const { annotations, ...others } = metadata;
  if (!isJsonObject(annotations)) return metadata;
  const shown = Object.fromEntries(Object.entries(annotations).filter(([key]) => !key.endsWith(lastApplied)));
  return Object.keys(shown).length === 0 ? others : { ...metadata, annotations: shown };
}

type Both = { readonly before: PlainObject | undefined; readonly after: PlainObject | undefined };

/** Of the data of Secrets only the keys are shown, and which of the values change. */
function maskSecrets(before: PlainObject | undefined, after: PlainObject | undefined): Both {
  if ((after ?? before)?.['kind'] !== 'Secret') return { before, after };
  const masked = (own: PlainObject | undefined, other: PlainObject | undefined, change: string) =>
    own && {
      ...own,
      ...maskedPart('data', own, other, change),
      ...maskedPart('stringData', own, other, change),
    };
  return { before: masked(before, after, '*** (before)'), after: masked(after, before, '*** (after)') };
}

function maskedPart(part: string, own: PlainObject, other: PlainObject | undefined, change: string): PlainObject {
  const values = own[part];
  if (!isJsonObject(values)) return {};
  const others = isJsonObject(other?.[part]) ? (other[part] as PlainObject) : {};
  const entries = Object.entries(values).map(([key, value]) => [
    key,
    !Object.hasOwn(others, key) || others[key] === value ? '***' : change,
  ]);
  return { [part]: Object.fromEntries(entries) };
}
