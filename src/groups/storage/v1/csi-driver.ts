// CSIDriver: describes an installed CSI volume driver; the object's name is the driver's name.

import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { allVerbs, type KindDefinition } from '../../../schema/resource.ts';
import { bool, field, type Infer, int64, listOf, string, struct } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'storage/v1';

export const tokenRequest = struct(home, 'TokenRequest', 'A service account token that a CSI driver asks for.', {
  audience: field(1, string, {
    always: true,
    required: true,
    about: 'Intended audience of the token; "" means the API server\'s own audience.',
  }),
  expirationSeconds: field(2, int64, {
    pointer: true,
    about: 'Lifetime of the token in seconds; default 3600, at least 600.',
  }),
});

export const csiDriverSpec = struct(home, 'CSIDriverSpec', 'Abilities and needs of a CSI driver.', {
  attachRequired: field(1, bool, {
    pointer: true,
    about: 'Whether volumes must be attached to a node before mounting; default true, immutable.',
  }),
  podInfoOnMount: field(2, bool, {
    pointer: true,
    about: "Whether the driver is told the pod's name, namespace and UID on mount; default false.",
  }),
  volumeLifecycleModes: field(3, listOf(string), {
    listType: 'set',
    about: 'Kinds of volumes supported: Persistent (the default), Ephemeral or both; immutable.',
  }),
  storageCapacity: field(4, bool, {
    pointer: true,
    about: "When true, scheduling takes the driver's CSIStorageCapacity objects into account; default false.",
  }),
  fsGroupPolicy: field(5, string, {
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
});

export const csiDriverType = struct(
  home,
  'CSIDriver',
  "Describes an installed CSI volume driver; the object's name is the driver's name.",
  {
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, csiDriverSpec, {
      always: true,
      required: true,
      about: 'What the driver supports and needs from Kubernetes.',
    }),
  },
);

export type CSIDriver = ApiObject & Infer<typeof csiDriverType>;

export const csiDriver: KindDefinition = {
  kind: 'CSIDriver',
  plural: 'csidrivers',
  namespaced: false,
  verbs: allVerbs,
  type: csiDriverType,
  checkName: checkSubdomain,
  generationIgnores: [],
  conditionalUpdateOnly: true,
};
