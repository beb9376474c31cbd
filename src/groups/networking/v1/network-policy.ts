// NetworkPolicy: limits which network traffic the selected pods may receive or send.

import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { allVerbs, type KindDefinition } from '../../../schema/resource.ts';
import { field, type Infer, int32, intOrString, listOf, string, struct } from '../../../schema/types.ts';
import { labelSelector } from '../../meta/v1/label-selector.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'networking/v1';

export const networkPolicyPort = struct(home, 'NetworkPolicyPort', 'A port, or range of ports, that traffic may use.', {
  protocol: field(1, string, { pointer: true, enum: ['SCTP', 'TCP', 'UDP'], about: 'TCP (the default), UDP or SCTP.' }),
  port: field(2, intOrString, {
    pointer: true,
    about: 'Port number or named container port; unset means all ports of the protocol.',
  }),
  endPort: field(3, int32, {
    pointer: true,
    about: 'Last port of a range that starts at port, which must then be a number not above it.',
  }),
});

export const ipBlock = struct(home, 'IPBlock', 'An address range with optional holes.', {
  cidr: field(1, string, {
    always: true,
    required: true,
    about: 'Range in CIDR form, such as "192.168.1.0/24" or "2001:db8::/64".',
  }),
  except: field(2, listOf(string), {
    listType: 'atomic',
    about: 'Smaller CIDR ranges inside cidr that are left out of it.',
  }),
});

export const networkPolicyPeer = struct(
  home,
  'NetworkPolicyPeer',
  'A set of pods, or an IP range, that traffic may go to or come from.',
  {
    podSelector: field(1, labelSelector, {
      pointer: true,
      about: "Pods by label, in the policy's namespace or in those of namespaceSelector; empty matches all.",
    }),
    namespaceSelector: field(2, labelSelector, {
      pointer: true,
      about: 'Namespaces by label; empty matches all, and alone it covers every pod in them.',
    }),
    ipBlock: field(3, ipBlock, { pointer: true, about: 'An IP range; cannot be combined with the selectors.' }),
  },
);

export const networkPolicyIngressRule = struct(
  home,
  'NetworkPolicyIngressRule',
  'Allows incoming traffic that fits both its ports and its sources.',
  {
    ports: field(1, listOf(networkPolicyPort), {
      listType: 'atomic',
      about: 'Ports on the selected pods that may be reached; empty or missing means all.',
    }),
    from: field(2, listOf(networkPolicyPeer), {
      listType: 'atomic',
      about: 'Allowed sources; empty or missing allows every source.',
    }),
  },
);

export const networkPolicyEgressRule = struct(
  home,
  'NetworkPolicyEgressRule',
  'Allows outgoing traffic that fits both its ports and its destinations.',
  {
    ports: field(1, listOf(networkPolicyPort), {
      listType: 'atomic',
      about: 'Allowed destination ports; empty or missing allows every port.',
    }),
    to: field(2, listOf(networkPolicyPeer), {
      listType: 'atomic',
      about: 'Allowed destinations; empty or missing allows every destination.',
    }),
  },
);

export const networkPolicySpec = struct(home, 'NetworkPolicySpec', 'Desired rules of a NetworkPolicy.', {
  podSelector: field(1, labelSelector, {
    always: true,
    about: 'Pods in this namespace that the policy covers; empty selects all of them.',
  }),
  ingress: field(2, listOf(networkPolicyIngressRule), {
    listType: 'atomic',
    about: 'Allowed incoming traffic; an empty list shuts off all of it for the selected pods.',
  }),
  egress: field(3, listOf(networkPolicyEgressRule), {
    listType: 'atomic',
    about: 'Allowed outgoing traffic; an empty list with type Egress shuts off all of it.',
  }),
  policyTypes: field(4, listOf(string), {
    enum: ['Egress', 'Ingress'],
    listType: 'atomic',
    about: 'Directions covered, Ingress or Egress or both; by default Ingress, plus Egress when egress rules exist.',
  }),
});

export const networkPolicyType = struct(
  home,
  'NetworkPolicy',
  'Limits which network traffic the selected pods may receive or send.',
  {
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, networkPolicySpec, { always: true, about: 'The pods concerned and the traffic they are allowed.' }),
  },
);

export type NetworkPolicy = ApiObject & Infer<typeof networkPolicyType>;

export const networkPolicy: KindDefinition = {
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  namespaced: true,
  shortNames: ['netpol'],
  verbs: allVerbs,
  type: networkPolicyType,
  checkName: checkSubdomain,
  generationIgnores: [],
};
