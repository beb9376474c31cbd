// The question to a webhook: an AdmissionReview with the request.

import type { JsonObject } from '../../base/json/json.ts';
import { type Dialect, groupName } from '../../meta/dialect.ts';
import type { GroupVersionKind } from '../../meta/group-version.ts';
import type { UserInfo } from '../../meta/user.ts';
import { isNamespaceObject } from '../matching/rule.ts';
import { knownVersions } from './review-type.ts';
import type { WantedRequest } from './wanted-request.ts';

export interface AdmissionReview {
  readonly kind: 'AdmissionReview';
  readonly apiVersion: string;
  readonly request: object;
}

/** The first version that both sides know; undefined where there is none. */
export const reviewVersion = (accepted: readonly string[]) => accepted.find((one) => knownVersions.includes(one));

export function reviewOf(wanted: WantedRequest, uid: string, version: string, dialect: Dialect): AdmissionReview {
  const { request, resource } = wanted;
  const { definition, subresource, operation } = request;
  return {
    kind: 'AdmissionReview',
    apiVersion: `${groupName(dialect, 'admission')}/${version}`,
    request: {
      uid,
      kind: plainKind(wanted.kind),
      resource: plainResource(resource),
      ...present({ subResource: subresource }),
      requestKind: plainKind(request.kind),
      requestResource: plainResource(definition),
      ...present({ requestSubResource: subresource, name: request.name, namespace: namespaceOf(wanted) }),
      operation,
      userInfo: plainUser(request.user),
      object: wanted.object ?? null,
      oldObject: wanted.oldObject ?? null,
      dryRun: request.dryRun,
      options: request.options ?? null,
    },
  };
}

/** compat: a namespace is in itself */
const namespaceOf = ({ request: { definition, namespace, name } }: WantedRequest) =>
  isNamespaceObject(definition) ? name : namespace;

const plainKind = ({ group, version, kind }: GroupVersionKind): JsonObject => ({ group, version, kind });
const plainResource = ({ group, version, plural }: WantedRequest['resource']): JsonObject => ({
  group,
  version,
  resource: plural,
});

const present = (fields: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));

function plainUser({ name, uid = '', groups, extra = {} }: UserInfo): object {
  return {
    ...present({ username: name, uid }),
    ...(groups.length > 0 ? { groups } : {}),
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  };
}
