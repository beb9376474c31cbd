// NetworkPolicy: limits which network traffic the selected pods may receive or send.

import { forbiddenField, invalidValue, notSupported, required } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { type IpRange, parseRange, rangeContains } from '../../../meta/ip.ts';
import { checkSubdomain } from '../../../meta/names.ts';
import { validatePort, validatePortOrName, validateRange } from '../../../meta/network-names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { FieldError } from '../../../meta/status.ts';
import { type Warnings, warnEach } from '../../../meta/warn-each.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { field, type Infer, int32, intOrString, listOf, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { rangeListWarnings, rangeWarnings } from '../../address-warnings.ts';
import { ageColumn, textColumn } from '../../columns.ts';
import { formatLabelSelector, labelSelector, validateLabelSelector } from '../../meta/v1/label-selector.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'networking/v1';

const networkPolicyPort = struct(home, 'NetworkPolicyPort', 'A port, or range of ports, that traffic may use.', () => ({
  protocol: field(1, string, {
    goType: 'v1.Protocol',
    pointer: true,
    enum: ['SCTP', 'TCP', 'UDP'],
    about: 'TCP (the default), UDP or SCTP.',
  }),
  port: field(2, intOrString, {
    pointer: true,
    about: 'Port number or named container port; unset means all ports of the protocol.',
  }),
  endPort: field(3, int32, {
    pointer: true,
    about: 'Last port of a range that starts at port, which must then be a number not above it.',
  }),
}));

const ipBlock = struct(home, 'IPBlock', 'An address range with optional holes.', () => ({
  cidr: field(1, string, {
    always: true,
    required: true,
    about: 'Range in CIDR form, such as "192.168.1.0/24" or "2001:db8::/64".',
  }),
  except: field(2, listOf(string), {
    listType: 'atomic',
    about: 'Smaller CIDR ranges inside cidr that are left out of it.',
  }),
}));

const networkPolicyPeer = struct(
  home,
  'NetworkPolicyPeer',
  'A set of pods, or an IP range, that traffic may go to or come from.',
  () => ({
    podSelector: field(1, labelSelector, {
      pointer: true,
      about: "Pods by label, in the policy's namespace or in those of namespaceSelector; empty matches all.",
    }),
    namespaceSelector: field(2, labelSelector, {
      pointer: true,
      about: 'Namespaces by label; empty matches all, and alone it covers every pod in them.',
    }),
    ipBlock: field(3, ipBlock, { pointer: true, about: 'An IP range; cannot be combined with the selectors.' }),
  }),
);

const networkPolicyIngressRule = struct(
  home,
  'NetworkPolicyIngressRule',
  'Allows incoming traffic that fits both its ports and its sources.',
  () => ({
    ports: field(1, listOf(networkPolicyPort), {
      listType: 'atomic',
      about: 'Ports on the selected pods that may be reached; empty or missing means all.',
    }),
    from: field(2, listOf(networkPolicyPeer), {
      listType: 'atomic',
      about: 'Allowed sources; empty or missing allows every source.',
    }),
  }),
);

const networkPolicyEgressRule = struct(
  home,
  'NetworkPolicyEgressRule',
  'Allows outgoing traffic that fits both its ports and its destinations.',
  () => ({
    ports: field(1, listOf(networkPolicyPort), {
      listType: 'atomic',
      about: 'Allowed destination ports; empty or missing allows every port.',
    }),
    to: field(2, listOf(networkPolicyPeer), {
      listType: 'atomic',
      about: 'Allowed destinations; empty or missing allows every destination.',
    }),
  }),
);

const networkPolicySpec = struct(home, 'NetworkPolicySpec', 'Desired rules of a NetworkPolicy.', () => ({
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
    goType: '[]PolicyType',
    enum: ['Egress', 'Ingress'],
    listType: 'atomic',
    about: 'Directions covered, Ingress or Egress or both; by default Ingress, plus Egress when egress rules exist.',
  }),
}));

const networkPolicyType = struct(
  home,
  'NetworkPolicy',
  'Limits which network traffic the selected pods may receive or send.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, networkPolicySpec, { always: true, about: 'The pods concerned and the traffic they are allowed.' }),
  }),
);

type NetworkPolicy = ApiObject & Infer<typeof networkPolicyType>;

type Spec = NonNullable<NetworkPolicy['spec']>;
type Rule = { readonly ports?: readonly Port[]; readonly peers?: readonly Peer[] };
type Port = Infer<typeof networkPolicyPort>;
type Peer = Infer<typeof networkPolicyPeer>;
type Block = Infer<typeof ipBlock>;

const directions = ['Ingress', 'Egress'];

/** Ports are of TCP; without types a policy covers what comes in, and what goes out where it speaks of that. */
function defaults(object: NetworkPolicy): ApiObject {
  const spec = object.spec ?? {};
  const withProtocols = <R extends { readonly ports?: readonly Port[] }>(rules: readonly R[]) =>
    rules.map((rule) => (rule.ports === undefined ? rule : { ...rule, ports: rule.ports.map(withProtocol) }));
  const policyTypes = (spec.egress ?? []).length > 0 ? directions : ['Ingress'];
  return {
    ...object,
    spec: {
      ...spec,
      ...(spec.ingress === undefined ? {} : { ingress: withProtocols(spec.ingress) }),
      ...(spec.egress === undefined ? {} : { egress: withProtocols(spec.egress) }),
      ...((spec.policyTypes ?? []).length > 0 ? {} : { policyTypes }),
    },
  };
}

const withProtocol = (port: Port): Port => (port.protocol === undefined ? { ...port, protocol: 'TCP' } : port);

/** `had` are ranges that the policy had before: they are written as older rules had it. */
function validate({ spec = {} }: NetworkPolicy, had: ReadonlySet<string>): readonly FieldError[] {
  return [
    ...validateLabelSelector(spec.podSelector, 'spec.podSelector'),
    ...findEach(spec.ingress ?? [], ({ ports, from }, index) =>
      validateRule({ ...(ports && { ports }), ...(from && { peers: from }) }, 'from', `spec.ingress[${index}]`, had),
    ),
    ...findEach(spec.egress ?? [], ({ ports, to }, index) =>
      validateRule({ ...(ports && { ports }), ...(to && { peers: to }) }, 'to', `spec.egress[${index}]`, had),
    ),
    ...validateTypes(spec),
  ];
}

function rangesOf({ spec: { ingress = [], egress = [] } = {} }: NetworkPolicy): ReadonlySet<string> {
  const peers = [...ingress.flatMap(({ from = [] }) => from), ...egress.flatMap(({ to = [] }) => to)];
  return new Set(peers.flatMap(({ ipBlock: { cidr = '', except = [] } = {} }) => [cidr, ...except]));
}

function validateTypes({ policyTypes = [] }: Spec): readonly FieldError[] {
  const at = 'spec.policyTypes';
  if (policyTypes.length > 2) return [invalidValue(at, policyTypes, 'may not specify more than two policyTypes')];
  return findEach(policyTypes, (type, index) =>
    directions.includes(type) ? [] : [notSupported(`${at}[${index}]`, type, directions)],
  );
}

function validateRule({ ports = [], peers = [] }: Rule, side: string, at: string, had: ReadonlySet<string>) {
  return [
    ...findEach(ports, (port, index) => validateRulePort(port, `${at}.ports[${index}]`)),
    ...findEach(peers, (peer, index) => validatePeer(peer, `${at}.${side}[${index}]`, had)),
  ];
}

const protocols = ['TCP', 'UDP', 'SCTP'];

function validateRulePort({ protocol, port, endPort }: Port, at: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (protocol !== undefined && !protocols.includes(protocol))
    errors.push(notSupported(`${at}.protocol`, protocol, protocols));
  const ofPort = port === undefined ? [] : validatePortOrName(port, `${at}.port`);
  const ofEnd = endPort === undefined ? [] : validateEndPort(endPort, port, `${at}.endPort`);
  return typeof port === 'string' ? [...errors, ...ofEnd, ...ofPort] : [...errors, ...ofPort, ...ofEnd];
}

function validateEndPort(end: number, port: number | string | undefined, at: string): readonly FieldError[] {
  if (port === undefined) return [invalidValue(at, end, 'may not be specified when `port` is not specified')];
  if (typeof port === 'string') return [invalidValue(at, end, 'may not be specified when `port` is non-numeric')];
  const below = end < port ? [invalidValue(at, port, 'must be greater than or equal to `port`')] : [];
  return [...below, ...validatePort(end, at)];
}

function validatePeer(peer: Peer, at: string, had: ReadonlySet<string>): readonly FieldError[] {
  const { podSelector, namespaceSelector, ipBlock: block } = peer;
  const selects = podSelector !== undefined || namespaceSelector !== undefined;
  return [
    ...validateLabelSelector(podSelector, `${at}.podSelector`),
    ...validateLabelSelector(namespaceSelector, `${at}.namespaceSelector`),
    ...(block === undefined ? [] : validateBlock(block, `${at}.ipBlock`, had)),
    ...(selects || block !== undefined ? [] : [required(at, 'must specify a peer')]),
    ...(selects && block !== undefined ? [forbiddenField(at, 'may not specify both ipBlock and another peer')] : []),
  ];
}

function validateBlock({ cidr = '', except = [] }: Block, at: string, had: ReadonlySet<string>): readonly FieldError[] {
  if (cidr === '') return [required(`${at}.cidr`)];
  const range = parseRange(cidr);
  const wrong = had.has(cidr) ? [] : validateRange(cidr, `${at}.cidr`, range);
  if (range === undefined) return wrong;
  return [...wrong, ...findEach(except, (hole, index) => validateHole(hole, range, `${at}.except[${index}]`, had))];
}

function validateHole(hole: string, range: IpRange, at: string, had: ReadonlySet<string>): readonly FieldError[] {
  const inner = parseRange(hole);
  const wrong = had.has(hole) ? [] : validateRange(hole, at, inner);
  if (inner === undefined || isStrictSubset(inner, range)) return wrong;
  return [...wrong, invalidValue(at, hole, 'must be a strict subset of `cidr`')];
}

const isStrictSubset = (inner: IpRange, outer: IpRange) =>
  inner.bits > outer.bits && rangeContains(outer, inner.address);

const blockWarnings = ({ ingress = [], egress = [] }: NonNullable<NetworkPolicy['spec']>): Warnings => [
  ...warnEach(ingress, ({ from }, index) => peerWarnings(from, `spec.ingress[${index}].from`)),
  ...warnEach(egress, ({ to }, index) => peerWarnings(to, `spec.egress[${index}].to`)),
];

function peerWarnings(peers: readonly Peer[] | undefined, at: string): Warnings {
  return warnEach(peers ?? [], ({ ipBlock: block }, index) => [
    ...(block?.cidr ? rangeWarnings(block.cidr, `${at}[${index}].ipBlock.cidr`) : []),
    ...rangeListWarnings(block?.except, `${at}[${index}].ipBlock.except`),
  ]);
}

export const networkPolicy = defineKind(networkPolicyType, {
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  namespaced: true,
  shortNames: ['netpol'],
  verbs: allVerbs,
  checkName: checkSubdomain,
  generationIgnores: [],
  quirks: { generationCountsEmpty: true },
  columns: [
    nameColumn,
    textColumn<NetworkPolicy>(
      'Pod-Selector',
      'The pods that the policy covers.',
      ({ spec }) => formatLabelSelector(spec?.podSelector ?? {}) || '<none>',
    ),
    ageColumn,
  ],
  strategy: {
    updateChecks: { meta: 0 },
    defaults,
    validateCreate: (object) => validate(object, new Set()),
    validateUpdate: (next, old) => validate(next, rangesOf(old)),
    warnings: (next) => blockWarnings(next.spec ?? {}),
  },
});
