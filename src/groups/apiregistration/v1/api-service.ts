// APIService: registers one API group and version; its name must be <version>.<group>.

import { inOwnWords } from '../../../meta/dialect.ts';
import { invalidValue, required } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkLetterFirstLabel, checkPathSegment, checkRoleName, checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { formatTime } from '../../../meta/time.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import type { StrategyContext } from '../../../schema/strategy.ts';
import { bool, bytes, field, type Infer, int32, listOf, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, textColumn } from '../../columns.ts';
import { conditionFields } from '../../condition-fields.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { checked, oneOf, type ValidationErrors } from '../../rules.ts';
import { statusAlone } from '../../subresources.ts';

const home = 'apiregistration/v1';

const serviceReference = struct(home, 'ServiceReference', 'Points at the Service of an extension API server.', () => ({
  namespace: field(1, string, { about: 'Namespace the Service lives in.' }),
  name: field(2, string, { about: 'Name of the Service to call.' }),
  port: field(3, int32, { pointer: true, about: 'Port of the Service to use, 1 to 65535; default 443.' }),
}));

const apiServiceSpec = struct(home, 'APIServiceSpec', 'Where and how an API group version is served.', () => ({
  service: field(1, serviceReference, {
    pointer: true,
    about: 'Service of the extension server; unset means this API server handles the group itself.',
  }),
  group: field(2, string, { about: 'API group being registered, such as metrics.example.com.' }),
  version: field(3, string, { about: 'API version being registered, such as "v1beta1".' }),
  insecureSkipTLSVerify: field(4, bool, {
    about: "When true, the server's certificate is not checked; strongly discouraged, use caBundle instead.",
  }),
  caBundle: field(5, bytes, {
    listType: 'atomic',
    about: "Base64 of PEM certificates used to verify the server; unset uses the system's trust roots.",
  }),
  groupPriorityMinimum: field(7, int32, {
    always: true,
    required: true,
    about: 'Rank of the group among all groups, 1 to 20000; higher is preferred by clients.',
  }),
  versionPriority: field(8, int32, {
    always: true,
    required: true,
    about: 'Rank of the version within its group, 1 to 1000; higher is listed earlier.',
  }),
}));

const apiServiceCondition = struct(home, 'APIServiceCondition', 'One named observation about an APIService.', () =>
  conditionFields('Kind of observation, such as Available.', { type: 'APIServiceConditionType' }),
);

const apiServiceStatus = struct(home, 'APIServiceStatus', 'Observed state of an APIService.', () => ({
  conditions: field(1, listOf(apiServiceCondition), {
    listType: 'map',
    mapKeys: ['type'],
    patchStrategy: 'merge',
    patchMergeKey: 'type',
    about: 'Current observations, at most one entry per type.',
  }),
}));

const apiServiceType = struct(
  home,
  'APIService',
  'Registers one API group and version; its name must be <version>.<group>.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, apiServiceSpec, { always: true, about: 'The group, version and server that handles it.' }),
    status: field(3, apiServiceStatus, { always: true, about: 'Whether the API can be reached; read-only for users.' }),
  }),
);

export type APIService = ApiObject & Infer<typeof apiServiceType>;

type Spec = NonNullable<APIService['spec']>;

const specOf = (object: APIService): Spec => object.spec ?? {};

const httpsPort = 443;
const highestGroupPriority = 20000;
const highestVersionPriority = 1000;

function defaults(object: APIService): ApiObject {
  const { service, ...spec } = specOf(object);
  return service ? { ...object, spec: { service: { port: httpsPort, ...service }, ...spec } } : object;
}

/** What this server handles itself is there at once. */
function prepareForCreate(object: APIService, { clock }: StrategyContext): ApiObject {
  if (specOf(object).service) return object;
  const available = {
    type: 'Available',
    status: 'True',
    lastTransitionTime: formatTime(clock.now()),
    reason: 'Local',
    message: 'Local APIServices are always available',
  };
  return { ...object, status: { conditions: [available] } };
}

function validate(object: APIService, { dialect }: StrategyContext): ValidationErrors {
  const spec = specOf(object);
  const { group = '', version = '', groupPriorityMinimum = 0, versionPriority = 0 } = spec;
  return [
    ...validateName('generateName', object, `${version}.${group}`),
    ...validateName('name', object, `${version}.${group}`),
    ...(group === '' && version !== 'v1'
      ? [required('spec.group', inOwnWords(dialect, 'only v1 may have an empty group and it better be legacy kube'))]
      : []),
    ...(group === '' ? [] : checked('spec.group', group, checkSubdomain)),
    ...checked('spec.version', version, checkLetterFirstLabel),
    ...validatePriority('groupPriorityMinimum', groupPriorityMinimum, highestGroupPriority),
    ...validatePriority('versionPriority', versionPriority, highestVersionPriority),
    ...(spec.service ? validateRemote(spec, spec.service) : validateLocal(spec)),
  ];
}

function validateName(field: 'name' | 'generateName', { metadata }: ApiObject, wanted: string): ValidationErrors {
  const { [field]: name = '' } = metadata;
  if (name === '' || name === wanted || checkPathSegment(name).length > 0) return [];
  const detail = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`;
  return [invalidValue(`metadata.${field}`, name, detail)];
}

function validatePriority(field: string, priority: number, highest: number): ValidationErrors {
  if (priority > 0 && priority <= highest) return [];
  return [invalidValue(`spec.${field}`, priority, `must be positive and less than ${highest}`)];
}

function validateLocal({ caBundle = '', insecureSkipTLSVerify: insecure }: Spec): ValidationErrors {
  const size = `${Buffer.from(caBundle, 'base64').length} bytes`;
  return [
    ...(caBundle === '' ? [] : [invalidValue('spec.caBundle', size, 'local APIServices may not have a caBundle')]),
    ...(insecure
      ? [invalidValue('spec.insecureSkipTLSVerify', true, 'local APIServices may not have insecureSkipTLSVerify')]
      : []),
  ];
}

function validateRemote(spec: Spec, { namespace, name, port = 0 }: Infer<typeof serviceReference>): ValidationErrors {
  const detail = 'may not be true if caBundle is present';
  return [
    ...(namespace ? [] : [required('spec.service.namespace')]),
    ...(name ? [] : [required('spec.service.name')]),
    ...(port < 1 || port > 65535
      ? [invalidValue('spec.service.port', port, 'port is not valid: must be between 1 and 65535, inclusive')]
      : []),
    ...(spec.insecureSkipTLSVerify && spec.caBundle ? [invalidValue('spec.insecureSkipTLSVerify', true, detail)] : []),
  ];
}

function validateStatus(object: APIService): ValidationErrors {
  const { conditions } = object.status ?? {};
  return findEach(conditions ?? [], ({ status }, index) =>
    oneOf(`status.conditions[${index}].status`, status, ['True', 'False', 'Unknown']),
  );
}

/** Whether it can be reached, and why not. */
function availability({ status = {} }: APIService): string {
  const found = (status.conditions ?? []).find(({ type }) => type === 'Available');
  if (found === undefined) return 'Unknown';
  return found.status === 'True' || !found.reason ? (found.status ?? '') : `${found.status} (${found.reason})`;
}

export const apiService = defineKind(apiServiceType, {
  kind: 'APIService',
  plural: 'apiservices',
  namespaced: false,
  categories: ['api-extensions'],
  verbs: allVerbs,
  checkName: checkRoleName,
  quirks: { conditionalUpdateOnly: true, plainFinalizers: true },
  columns: [
    nameColumn,
    textColumn<APIService>('Service', 'The Service that answers.', ({ spec }) =>
      spec?.service ? `${spec.service.namespace ?? ''}/${spec.service.name ?? ''}` : 'Local',
    ),
    textColumn<APIService>('Available', 'Whether it can be reached.', availability),
    ageColumn,
  ],
  rows: { repeatsColumns: true },
  subresources: [{ ...statusAlone, tables: false, validateUpdate: validateStatus }],
  strategy: { defaults, prepareForCreate, validate },
});
