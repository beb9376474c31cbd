// ClusterTrustBundle: a cluster-wide set of trusted root certificates that pods can mount.

import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { allVerbs, type KindDefinition } from '../../../schema/resource.ts';
import { field, type Infer, string, struct } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'certificates/v1beta1';

export const clusterTrustBundleSpec = struct(home, 'ClusterTrustBundleSpec', 'Content of a trust bundle.', {
  signerName: field(1, string, {
    about: 'Signer whose roots these are; the object\'s name must then start with it, ":" for "/". Immutable.',
  }),
  trustBundle: field(2, string, {
    always: true,
    required: true,
    about: 'One or more different root certificates in PEM form; their order has no meaning.',
  }),
});

export const clusterTrustBundleType = struct(
  home,
  'ClusterTrustBundle',
  'A cluster-wide set of trusted root certificates that pods can mount.',
  {
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, clusterTrustBundleSpec, {
      always: true,
      required: true,
      about: 'The signer concerned and the certificates.',
    }),
  },
);

export type ClusterTrustBundle = ApiObject & Infer<typeof clusterTrustBundleType>;

export const clusterTrustBundle: KindDefinition = {
  kind: 'ClusterTrustBundle',
  plural: 'clustertrustbundles',
  namespaced: false,
  verbs: allVerbs,
  type: clusterTrustBundleType,
  deprecated: { since: 37, removed: 40 },
  checkName: checkSubdomain,
  conditionalUpdateOnly: true,
};
