// ServiceAccount: an identity for programs.

import { type Dialect, labelKey } from '../../../meta/dialect.ts';
import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { bool, field, type Infer, listOf, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn } from '../../columns.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { localObjectReference, objectReference } from './references.ts';
import { tokenSubresource } from './service-account-token.ts';

const type = struct('core/v1', 'ServiceAccount', 'An identity for programs that run in a namespace.', () => ({
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  secrets: field(2, listOf(objectReference), {
    listType: 'map',
    mapKeys: ['name'],
    patchStrategy: 'merge',
    patchMergeKey: 'name',
    about: 'Secrets that programs under this account may use.',
  }),
  imagePullSecrets: field(3, listOf(localObjectReference), {
    listType: 'atomic',
    about: 'Secrets used to pull images for pods under this account.',
  }),
  automountServiceAccountToken: field(4, bool, {
    pointer: true,
    about: 'Whether pods get a token of this account mounted; a pod may override it.',
  }),
}));

export type ServiceAccount = ApiObject & Infer<typeof type>;

const mountAdvice = 'deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets';

/** Said once, to the client that begins to use the annotation. */
function mountWarnings(next: ApiObject, old: ApiObject | undefined, dialect: Dialect): readonly string[] {
  const key = labelKey(dialect, 'enforce-mountable-secrets');
  const has = (object: ApiObject | undefined) => Object.hasOwn(object?.metadata.annotations ?? {}, key);
  return has(next) && !has(old) ? [`metadata.annotations[${key}]: ${mountAdvice}`] : [];
}

/** compat: of a reference to a secret only the name is kept */
function withNamedSecrets(object: ServiceAccount): ApiObject {
  const { secrets } = object;
  return secrets === undefined ? object : { ...object, secrets: secrets.map(({ name }) => (name ? { name } : {})) };
}

export const serviceAccount = defineKind(type, {
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
  shortNames: ['sa'],
  verbs: allVerbs,
  checkName: checkSubdomain,
  quirks: { returnsDeleted: true },
  subresources: [tokenSubresource],
  columns: [nameColumn, ageColumn],
  strategy: {
    prepareForCreate: withNamedSecrets,
    prepareForUpdate: withNamedSecrets,
    warnings: (next, old, { dialect }) => mountWarnings(next, old, dialect),
  },
});
