// A version with types of its own, stored as another one: rules and columns of the stored version hold for both.

import type { ApiObject } from '../meta/object.ts';
import type { Column, Conversion, KindDefinition, Strategy } from '../schema/resource.ts';
import type { StructType } from '../schema/types.ts';

export interface ConvertedVersion {
  readonly type: StructType;
  readonly conversion: Conversion;
  /** Defaults of this version's own fields; those of the stored version are not used. */
  readonly defaults?: Strategy['defaults'];
  readonly selectableFields?: KindDefinition['selectableFields'];
  /** Rules of this version besides those of the stored one, on objects as they are stored. */
  readonly validateCreate?: Strategy['validateCreate'];
  readonly validateUpdate?: Strategy['validateUpdate'];
}

export function convertedKind(stored: KindDefinition, version: ConvertedVersion): KindDefinition {
  const { conversion } = version;
  const { hashedVersion: _, selectableFields: __, ...shared } = stored;
  return {
    ...shared,
    type: version.type,
    conversion,
    ...(version.selectableFields ? { selectableFields: version.selectableFields } : {}),
    ...(stored.columns ? { columns: stored.columns.map((column) => convertedColumn(column, conversion)) } : {}),
    strategy: {
      ...convertedStrategy(withRules(stored.strategy ?? {}, version), conversion),
      ...(version.defaults ? { defaults: version.defaults } : {}),
    },
  };
}

function withRules(stored: Strategy, { validateCreate, validateUpdate }: ConvertedVersion): Strategy {
  return {
    ...stored,
    validateCreate: (object, context) => [
      ...(stored.validateCreate?.(object, context) ?? []),
      ...(validateCreate?.(object, context) ?? []),
    ],
    validateUpdate: (next, old, context) => [
      ...(stored.validateUpdate?.(next, old, context) ?? []),
      ...(validateUpdate?.(next, old, context) ?? []),
    ],
  };
}

function convertedColumn(column: Column, { toStorage }: Conversion): Column {
  return { ...column, cell: (object, context) => column.cell(toStorage(object), context) };
}

function convertedStrategy(stored: Strategy, { toStorage, fromStorage }: Conversion): Strategy {
  const back = (from: ApiObject, made: ApiObject | undefined) => (made === undefined ? from : fromStorage(made));
  return {
    prepareForCreate: (object, context) => back(object, stored.prepareForCreate?.(toStorage(object), context)),
    prepareForUpdate: (next, old, context) =>
      back(next, stored.prepareForUpdate?.(toStorage(next), toStorage(old), context)),
    validate: (object, context) => stored.validate?.(toStorage(object), context) ?? [],
    validateCreate: (object, context) => stored.validateCreate?.(toStorage(object), context) ?? [],
    validateUpdate: (next, old, context) => stored.validateUpdate?.(toStorage(next), toStorage(old), context) ?? [],
    beginDeletion: (object, context) => back(object, stored.beginDeletion?.(toStorage(object), context)),
    isHeld: (object) => stored.isHeld?.(toStorage(object)) ?? false,
  };
}
