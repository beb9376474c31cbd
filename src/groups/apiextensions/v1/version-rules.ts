// Rules of what each version of a definition says for itself: columns, subresources, fields to select by.

import { duplicate, invalidValue, required, tooMany } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { findField } from '../../../schema/structural/field-path.ts';
import type { Schema } from '../../../schema/structural/schema.ts';
import type { Infer } from '../../../schema/types.ts';
import type { ValidationErrors } from '../../rules.ts';
import type {
  customResourceColumnDefinition,
  customResourceSubresourceScale,
  selectableField,
} from './custom-resource-definition-type.ts';

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const mostSelectable = 8;
const longestWarning = 256;

export function validateColumn(column: Infer<typeof customResourceColumnDefinition>, at: string): ValidationErrors {
  const { name = '', type = '', format = '', jsonPath = '' } = column;
  const typeAdvice = `must be one of ${columnTypes.join(',')}`;
  return [
    ...(name === '' ? [required(`${at}.name`)] : []),
    ...(type === ''
      ? [required(`${at}.type`, typeAdvice)]
      : columnTypes.includes(type)
        ? []
        : [invalidValue(`${at}.type`, type, typeAdvice)]),
    ...(format === '' || columnFormats.includes(format)
      ? []
      : [invalidValue(`${at}.format`, format, `must be one of ${columnFormats.join(',')}`)]),
    ...(jsonPath === '' ? [required(`${at}.JSONPath`)] : validateSimplePath(jsonPath, `${at}.JSONPath`)),
  ];
}

function validateSimplePath(path: string, at: string): ValidationErrors {
  return path.startsWith('.') ? [] : [invalidValue(at, path, 'must be a simple json path starting with .')];
}

export function validateScale(scale: Infer<typeof customResourceSubresourceScale>, at: string): ValidationErrors {
  const { specReplicasPath = '', statusReplicasPath = '', labelSelectorPath = '' } = scale;
  const selectorAdvice = 'should be a json path under either .spec or .status';
  return [
    ...validateScalePath(specReplicasPath, `${at}.specReplicasPath`, 'spec'),
    ...validateScalePath(statusReplicasPath, `${at}.statusReplicasPath`, 'status'),
    ...(labelSelectorPath === '' || /^\.(spec|status)\./.test(labelSelectorPath)
      ? []
      : labelSelectorPath.startsWith('.')
        ? [invalidValue(`${at}.labelSelectorPath`, labelSelectorPath, selectorAdvice)]
        : validateSimplePath(labelSelectorPath, `${at}.labelSelectorPath`)),
  ];
}

function validateScalePath(path: string, at: string, under: string): ValidationErrors {
  if (path === '') return [required(at)];
  const found = validateSimplePath(path, at);
  if (found.length > 0 || path.startsWith(`.${under}.`)) return found;
  return [invalidValue(at, path, `should be a json path under .${under}`)];
}

export function validateSelectable(
  fields: readonly Infer<typeof selectableField>[],
  schema: Schema | undefined,
  at: string,
): ValidationErrors {
  const known = new Set<string>();
  const found = findEach(fields, ({ jsonPath = '' }, index) => {
    const place = `${at}[${index}].jsonPath`;
    const { problems, path } = validateSelectablePath(jsonPath, schema, place);
    if (path === undefined || !known.has(path)) {
      if (path !== undefined) known.add(path);
      return problems;
    }
    return [...problems, duplicate(place, jsonPath)];
  });
  return [...found, ...(known.size > mostSelectable ? [tooMany(at, known.size, mostSelectable)] : [])];
}

const selectableAdvice =
  'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';

interface SelectablePath {
  readonly problems: ValidationErrors;
  /** Which field it is; undefined where it is none. */
  readonly path?: string;
}

function validateSelectablePath(path: string, schema: Schema | undefined, at: string): SelectablePath {
  if (path === '') return { problems: [required(at)] };
  const found = findField(path, schema ?? {}, { dotsOnly: true });
  if ('problem' in found) return { problems: [invalidValue(at, path, `is an invalid path: ${found.problem}`)] };
  const { type = '' } = found.schema ?? {};
  const problems = [
    ...(found.steps[0] === 'metadata' ? [invalidValue(at, path, 'must not point to fields in metadata')] : []),
    ...(['string', 'boolean', 'integer'].includes(type) ? [] : [invalidValue(at, path, selectableAdvice)]),
  ];
  return { problems, path };
}

/** What clients of a deprecated version are told. */
export function deprecationProblems(deprecated: boolean, warning: string | undefined): readonly string[] {
  if (warning === undefined) return [];
  if (!deprecated) return ['can only be set for deprecated versions'];
  const odd = /[^\P{C}]|[\p{Zl}\p{Zp}]|[^\P{Zs} ]/u.exec(warning);
  return [
    ...(Buffer.byteLength(warning) > longestWarning ? [`must be <= ${longestWarning} characters long`] : []),
    ...(warning === '' ? ['must not be an empty string'] : []),
    ...(odd === null
      ? []
      : [
          `must only contain printable UTF-8 characters; non-printable character found at index ${Buffer.byteLength(warning.slice(0, odd.index))}`,
        ]),
  ];
}
