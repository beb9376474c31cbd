// CSIDriver: describes an installed CSI volume driver; the object's name is the driver's name.

import { isSameJson } from '../../../base/json/json.ts';
import { duplicate, invalidValue, notSupported, unchanged } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { FieldError } from '../../../meta/status.ts';
import type { Column } from '../../../schema/column.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { bool, field, type Infer, int64, listOf, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, textColumn } from '../../columns.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { repeatsIn } from '../../rules.ts';

const home = 'storage/v1';

const tokenRequest = struct(home, 'TokenRequest', 'A service account token that a CSI driver asks for.', () => ({
  audience: field(1, string, {
    always: true,
    required: true,
    about: 'Intended audience of the token; "" means the API server\'s own audience.',
  }),
  expirationSeconds: field(2, int64, {
    pointer: true,
    about: 'Lifetime of the token in seconds; default 3600, at least 600.',
  }),
}));

const csiDriverSpec = struct(home, 'CSIDriverSpec', 'Abilities and needs of a CSI driver.', () => ({
  attachRequired: field(1, bool, {
    pointer: true,
    about: 'Whether volumes must be attached to a node before mounting; default true, immutable.',
  }),
  podInfoOnMount: field(2, bool, {
    pointer: true,
    about: "Whether the driver is told the pod's name, namespace and UID on mount; default false.",
  }),
  volumeLifecycleModes: field(3, listOf(string), {
    goType: '[]VolumeLifecycleMode',
    listType: 'set',
    about: 'Kinds of volumes supported: Persistent (the default), Ephemeral or both; immutable.',
  }),
  storageCapacity: field(4, bool, {
    pointer: true,
    about: "When true, scheduling takes the driver's CSIStorageCapacity objects into account; default false.",
  }),
  fsGroupPolicy: field(5, string, {
    goType: 'FSGroupPolicy',
    pointer: true,
    about: "When volume ownership follows the pod's fsGroup: ReadWriteOnceWithFSType (default), File or None.",
  }),
  tokenRequests: field(6, listOf(tokenRequest), {
    listType: 'atomic',
    about: 'Service account tokens of the pod that the driver wants handed over at mount.',
  }),
  requiresRepublish: field(7, bool, {
    pointer: true,
    about: 'When true, the mount call is repeated regularly so the driver can refresh content; default false.',
  }),
  seLinuxMount: field(8, bool, {
    pointer: true,
    about: 'Set true if every volume may be mounted with its own SELinux context option; default false.',
  }),
  nodeAllocatableUpdatePeriodSeconds: field(9, int64, {
    pointer: true,
    about: "Seconds between refreshes of the node's volume limit, at least 10; unset disables them.",
  }),
  serviceAccountTokenInSecrets: field(10, bool, {
    pointer: true,
    about: 'When true, tokens are passed as secrets instead of volume context; needs tokenRequests.',
  }),
  preventPodSchedulingIfMissing: field(11, bool, {
    pointer: true,
    off: true,
    about: 'When true, pods using this driver are not scheduled to nodes that lack it.',
  }),
}));

const csiDriverType = struct(
  home,
  'CSIDriver',
  "Describes an installed CSI volume driver; the object's name is the driver's name.",
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, csiDriverSpec, {
      always: true,
      required: true,
      about: 'What the driver supports and needs from the cluster.',
    }),
  }),
);

export type CSIDriver = ApiObject & Infer<typeof csiDriverType>;

type Spec = NonNullable<CSIDriver['spec']>;

const groupPolicies = ['File', 'None', 'ReadWriteOnceWithFSType'];
const lifecycleModes = ['Persistent', 'Ephemeral'];
const tenMinutes = 600;
const longest = 2 ** 32;
const shortestPeriod = 10;

const usual: Spec = {
  attachRequired: true,
  podInfoOnMount: false,
  volumeLifecycleModes: ['Persistent'],
  storageCapacity: false,
  fsGroupPolicy: 'ReadWriteOnceWithFSType',
  requiresRepublish: false,
  seLinuxMount: false,
};

function validate(object: CSIDriver): readonly FieldError[] {
  const spec = object.spec ?? {};
  const { fsGroupPolicy = '', volumeLifecycleModes = [], nodeAllocatableUpdatePeriodSeconds: period } = spec;
  const at = 'spec.nodeAllocatableUpdatePeriodSeconds';
  return [
    ...(groupPolicies.includes(fsGroupPolicy)
      ? []
      : [notSupported('spec.fsGroupPolicy', fsGroupPolicy, groupPolicies)]),
    ...validateTokens(spec),
    ...volumeLifecycleModes
      .filter((mode) => !lifecycleModes.includes(mode))
      .map((mode) => notSupported('spec.volumeLifecycleModes', mode, lifecycleModes)),
    ...(period !== undefined && period < shortestPeriod
      ? [invalidValue(at, period, 'must be greater than or equal to 10 seconds')]
      : []),
  ];
}

function validateTokens({ tokenRequests = [], serviceAccountTokenInSecrets: inSecrets }: Spec): readonly FieldError[] {
  const isRepeated = repeatsIn(tokenRequests.map(({ audience = '' }) => audience));
  const unused = inSecrets !== undefined && tokenRequests.length === 0;
  const detail = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified';
  return [
    ...findEach(tokenRequests, ({ audience = '', expirationSeconds: seconds }, index) => {
      const at = `spec.tokenRequests[${index}]`;
      const expires = `${at}.expirationSeconds`;
      if (isRepeated(index)) return [duplicate(`${at}.audience`, audience)];
      return [
        ...(seconds !== undefined && seconds < tenMinutes
          ? [invalidValue(expires, seconds, 'may not specify a duration less than 10 minutes')]
          : []),
        ...(seconds !== undefined && seconds > longest
          ? [invalidValue(expires, seconds, 'may not specify a duration larger than 2^32 seconds')]
          : []),
      ];
    }),
    ...(unused ? [invalidValue('spec.serviceAccountTokenInSecrets', inSecrets, detail)] : []),
  ];
}

function validateUpdate(next: CSIDriver, old: CSIDriver): readonly FieldError[] {
  const [spec, was] = [next.spec ?? {}, old.spec ?? {}];
  return [
    // compat: a change of spec.attachRequired is reported at a field that there is not
    ...unchanged('spec.attachedRequired', spec.attachRequired, was.attachRequired),
    ...unchanged('spec.volumeLifecycleModes', spec.volumeLifecycleModes, was.volumeLifecycleModes),
  ];
}

function warnings({ spec = {} }: CSIDriver, old: CSIDriver | undefined): readonly string[] {
  const { tokenRequests = [], serviceAccountTokenInSecrets: inSecrets } = spec;
  if (tokenRequests.length === 0 || inSecrets !== undefined) return [];
  if (isSameJson(old?.spec?.tokenRequests, tokenRequests)) return [];
  return [
    'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
  ];
}

/** A column of yes or no. */
function flagColumn(name: string, about: string, cell: (spec: Spec) => boolean | undefined): Column<CSIDriver> {
  return { name, type: 'boolean', about, priority: 0, cell: (o) => cell(o.spec ?? {}) ?? false };
}

const audiencesOf = ({ spec }: CSIDriver) => (spec?.tokenRequests ?? []).map(({ audience = '' }) => audience).join(',');

export const csiDriver = defineKind(csiDriverType, {
  kind: 'CSIDriver',
  plural: 'csidrivers',
  namespaced: false,
  verbs: allVerbs,
  checkName: checkSubdomain,
  generationIgnores: [],
  quirks: { returnsDeleted: true, conditionalUpdateOnly: true, generationBegins: 'later' },
  columns: [
    nameColumn,
    flagColumn('AttachRequired', 'Whether volumes are attached first.', (spec) => spec.attachRequired ?? true),
    flagColumn('PodInfoOnMount', 'Whether it is told about pods.', (spec) => spec.podInfoOnMount),
    flagColumn('StorageCapacity', 'Whether it reports what is free.', (spec) => spec.storageCapacity),
    textColumn<CSIDriver>('TokenRequests', 'Tokens that it wants.', (o) =>
      (o.spec?.tokenRequests ?? []).length === 0 ? '<unset>' : audiencesOf(o),
    ),
    flagColumn('RequiresRepublish', 'Whether mounts are repeated.', (spec) => spec.requiresRepublish),
    textColumn<CSIDriver>(
      'Modes',
      'Volumes that it has.',
      (o) => (o.spec?.volumeLifecycleModes ?? []).join(',') || '<none>',
    ),
    ageColumn,
  ],
  strategy: {
    updateChecks: { meta: 0 },
    defaults: (object) => ({ ...object, spec: { ...usual, ...object.spec } }),
    validate,
    validateUpdate,
    warnings,
  },
});
