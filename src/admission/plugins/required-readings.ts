// A user who writes an object for which the server reads others must be able to read those: users do not learn by a detour what
// they may not see. Runs with the plugins that change objects, as the check of granted rights does.

import { isSameJson } from '../../base/json/json.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { type AccessControl, resourceAccess } from '../../meta/access.ts';
import type { Dialect } from '../../meta/dialect.ts';
import { forbiddenField } from '../../meta/field-errors.ts';
import { parseApiVersion } from '../../meta/group-version.ts';
import type { ApiObject } from '../../meta/object.ts';
import { requireAllowed } from '../../meta/require-access.ts';
import { invalid } from '../../meta/status.ts';
import { isMaster, type UserInfo } from '../../meta/user.ts';
import type { ObjectAccess } from '../../schema/object-access.ts';
import type { Reading } from '../../schema/resource.ts';
import type { AdmissionEngines } from '../engines.ts';
import { type AdmissionPlugin, type AdmissionRequest, writes } from '../plugin.ts';

interface ReadingEngines {
  readonly dialect: Dialect;
  readonly access: Pick<AccessControl, 'decide'>;
  readonly objects: Pick<ObjectAccess, 'get'>;
  readonly resourceOf: AdmissionEngines['resourceOf'];
}

export function requiredReadings(engines: ReadingEngines): AdmissionPlugin {
  return {
    name: 'RequiredReadings',
    operations: writes,
    covers: ({ readsFor }, subresource) => readsFor !== undefined && subresource === '',
    mutate(request) {
      const { object, oldObject, user } = request;
      if (object === undefined || isMaster(user)) return object;
      const checked = andThen(readingOf(engines, request, object), (reading) =>
        andThen(oldObject && readingOf(engines, request, oldObject), (previous) => {
          if (reading !== undefined && !isSameJson(reading, previous)) return check(engines, request, reading);
        }),
      );
      return andThen(checked, () => object);
    },
  };
}

function readingOf(
  { objects, dialect }: ReadingEngines,
  { definition }: AdmissionRequest,
  object: ApiObject,
): MaybePromise<Reading | undefined> {
  return definition.readsFor?.(object, objects, dialect);
}

function check(engines: ReadingEngines, request: AdmissionRequest, reading: Reading): MaybePromise<void> {
  const { user, definition, name } = request;
  const { namespace, name: wanted } = reading;
  const asked = resourceAccess({ user, verb: 'get', ...attributesOf(engines, reading), namespace, name: wanted });
  return requireAllowed(engines.access, asked, () => {
    const detail = `user ${printed(user)} ${reading.refusal}`;
    return invalid({ group: definition.group, kind: definition.kind, name }, [forbiddenField(reading.field, detail)]);
  });
}

const anything = { group: '*', version: '*', resource: '*' };

/** A kind that cannot be found out could be any. */
function attributesOf({ resourceOf }: ReadingEngines, { of }: Reading): typeof anything {
  const parsed = parseApiVersion(of?.apiVersion ?? '');
  if (of === undefined || parsed === undefined) return anything;
  return { ...parsed, resource: resourceOf(parsed.group, parsed.version, of.kind ?? '')?.plural ?? '*' };
}

/** compat: who may not read parameters is told their own name, groups and the rest as the reference implementation's language prints them */
function printed({ name, uid = '', groups, extra = {} }: UserInfo): string {
  const others = Object.entries(extra).map(([key, values]) => `${key}:[${values.join(' ')}]`);
  return `&{${name} ${uid} [${groups.join(' ')}] map[${others.sort().join(' ')}]}`;
}
