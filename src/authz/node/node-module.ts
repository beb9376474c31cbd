// The node authorizer: the program on a node may read what runs there needs, and write about itself.

import type { PendingParts } from '../../base/pending-parts.ts';
import type { AccessAttributes, Decision } from '../../meta/access.ts';
import { type Dialect, groupName } from '../../meta/dialect.ts';
import { nodeOfUser } from '../../meta/user.ts';
import type { AuthorizationModule } from '../authorizer.ts';
import { type RoleGates, rulesOfNodes } from '../rbac/roles/components.ts';
import { allows } from '../rbac/rules.ts';
import type { NodeGraph } from './node-graph.ts';

type Rule = (attributes: AccessAttributes, node: string) => Decision;

const allow: Decision = { kind: 'allow' };
const no = (reason = ''): Decision => (reason === '' ? { kind: 'noOpinion' } : { kind: 'noOpinion', reason });
const noOpinion = no();

/**
 * The rules of the role of nodes apply except where a narrower rule exists here. While parts of the graph are still being read,
 * a decision that they may change waits for them.
 */
export function nodeModule(
  graph: NodeGraph,
  dialect: Dialect,
  gates: RoleGates,
  parts: Pick<PendingParts, 'wait'> = { wait: () => undefined },
): AuthorizationModule {
  const rules = rulesOfNodes(dialect, gates);
  const narrow = narrowRules(graph, dialect, gates);
  return {
    authorize(attributes) {
      const node = nodeOfUser(attributes.user);
      if (node === undefined) return noOpinion;
      if (node === '') return no(`unknown node for user ${JSON.stringify(attributes.user.name)}`);
      const rule = attributes.isResource ? narrow.get(`${attributes.group}/${attributes.resource}`) : undefined;
      if (rule !== undefined) {
        const decision = rule(attributes, node);
        const whole = decision.kind === 'allow' ? undefined : parts.wait();
        return whole === undefined ? decision : whole.then(() => rule(attributes, node));
      }
      return rules.some((one) => allows(one, attributes)) ? allow : noOpinion;
    },
    rules(user) {
      if (nodeOfUser(user) === undefined) return { rules: [], incomplete: false, errors: [] };
      return { rules: [], incomplete: true, errors: ['node authorizer does not support user rule resolution'] };
    },
  };
}

const related = (is: boolean, node: string): Decision =>
  is ? allow : no(`no relationship found between node '${node}' and this object`);

function narrowRules(graph: NodeGraph, dialect: Dialect, gates: RoleGates): ReadonlyMap<string, Rule> {
  const storage = groupName(dialect, 'storage');
  const resource = groupName(dialect, 'resource');
  const needed =
    (what: 'secrets' | 'configmaps' | 'resourceclaims' | 'persistentvolumeclaims' | 'serviceaccounts'): Rule =>
    ({ namespace, name }, node) =>
      related(graph.needs(node, what, namespace, name), node);
  const volume: Rule = ({ name }, node) => related(graph.needsVolume(node, name), node);
  const owned =
    (part: Parameters<NodeGraph['owns']>[1]): Rule =>
    ({ namespace, name }, node) =>
      related(graph.owns(node, part, namespace, name), node);
  const podCertificates = [
    `${groupName(dialect, 'certificates')}/podcertificaterequests`,
    requests(owned('podcertificaterequests')),
  ] as const;
  return new Map<string, Rule>([
    ['/secrets', allowRead(needed('secrets'))],
    ['/configmaps', allowRead(needed('configmaps'))],
    ['/persistentvolumes', allowGet(volume)],
    ['/persistentvolumeclaims', claims(needed('persistentvolumeclaims'))],
    ['/serviceaccounts', accounts(needed('serviceaccounts'))],
    ['/nodes', ownNode],
    ['/pods', pods(graph)],
    [`${groupName(dialect, 'coordination')}/leases`, ownLease(dialect.nodeLeaseNamespace)],
    [`${storage}/csinodes`, ownDrivers],
    [`${storage}/volumeattachments`, allowGet(owned('volumeattachments'))],
    [`${resource}/resourceclaims`, allowGet(needed('resourceclaims'))],
    [`${resource}/resourceslices`, slices(owned('resourceslices'))],
    ...(gates.PodCertificateRequest ? [podCertificates] : []),
  ]);
}

/** Objects one by one, by name. */
function allowGet(then: Rule): Rule {
  return (attributes, node) => {
    if (attributes.verb !== 'get') return no('can only get individual resources of this type');
    if (attributes.subresource !== '') return no('cannot get subresource');
    return attributes.name === '' ? no('No Object name found') : then(attributes, node);
  };
}

/** Reads of one object in a namespace, which may be watched too. */
function allowRead(then: Rule): Rule {
  return (attributes, node) => {
    if (!reads.includes(attributes.verb)) return no('can only read resources of this type');
    if (attributes.subresource !== '') return no('cannot read subresource');
    if (attributes.namespace === '') return no('can only read namespaced object of this type');
    return attributes.name === '' ? no('No Object name found') : then(attributes, node);
  };
}

const reads = ['get', 'list', 'watch'];

function claims(then: Rule): Rule {
  const read = allowGet(then);
  return (attributes, node) => {
    if (attributes.subresource !== 'status') return read(attributes, node);
    // the known words name `get` too, which is not allowed
    if (attributes.verb !== 'update' && attributes.verb !== 'patch') return no('can only get/update/patch this type');
    return attributes.name === '' ? no('No Object name found') : then(attributes, node);
  };
}

/** Accounts of pods on the node: they are read, and get tokens. */
function accounts(then: Rule): Rule {
  const read = allowRead(then);
  return (attributes, node) => {
    if (attributes.subresource === '' && attributes.verb === 'get') return read(attributes, node);
    if (attributes.verb !== 'create' || attributes.name === '')
      return no('can only create tokens for individual service accounts');
    return attributes.subresource === 'token'
      ? then(attributes, node)
      : no('can only create token subresource of serviceaccount');
  };
}

/** Nodes write their own object; admission sees that it is their own. */
const ownNode: Rule = ({ verb, name, subresource }, node) => {
  if (subresource === 'status') return verb === 'update' || verb === 'patch' ? allow : noOpinion;
  if (subresource !== '') return noOpinion;
  if (verb === 'create' || verb === 'update' || verb === 'patch') return allow;
  if (!['get', 'list', 'watch'].includes(verb)) return noOpinion;
  if (name === node) return allow;
  const what = name === '' ? 'all nodes' : `'${name}'`;
  return no(`node '${node}' cannot read ${what}, only its own Node object`);
};

function pods(graph: NodeGraph): Rule {
  return (attributes, node) => {
    const { verb, subresource } = attributes;
    if (subresource === 'status') return verb === 'update' || verb === 'patch' ? allow : noOpinion;
    if (subresource === 'eviction') return verb === 'create' ? allow : noOpinion;
    if (subresource !== '') return noOpinion;
    if (verb === 'create' || verb === 'delete') return allow;
    if (verb === 'get') return related(graph.needs(node, 'pods', attributes.namespace, attributes.name), node);
    if (verb !== 'list' && verb !== 'watch') return noOpinion;
    if (selectsNode(attributes, node)) return allow;
    return attributes.name === ''
      ? no(`can only list/watch pods with spec.nodeName field selector`)
      : related(graph.needs(node, 'pods', attributes.namespace, attributes.name), node);
  };
}

const selectsNode = ({ fieldSelector = [] }: AccessAttributes, node: string) =>
  fieldSelector.some(({ field, operator, value }) => field === 'spec.nodeName' && operator === '=' && value === node);

const ownVerbs = ['get', 'create', 'update', 'patch', 'delete'];

/** A lease is named after its node; of one that is created admission sees the name. */
function ownLease(home: string): Rule {
  return ({ verb, namespace, name }, node) => {
    if (!ownVerbs.includes(verb)) return no('can only get, create, update, patch, or delete a node lease');
    if (namespace !== home) return no(`can only access leases in the "${home}" system namespace`);
    return verb === 'create' || name === node
      ? allow
      : no('can only access node lease with the same name as the requesting node');
  };
}

/** So are the storage drivers of a node. */
const ownDrivers: Rule = ({ verb, subresource, name }, node) => {
  if (!ownVerbs.includes(verb)) return no('can only get, create, update, patch, or delete a CSINode');
  if (subresource !== '') return no('cannot authorize CSINode subresources');
  return verb === 'create' || name === node
    ? allow
    : no('can only access CSINode with the same name as the requesting node');
};

/** Requests for certificates of pods; admission sees that they are of the node. */
function requests(then: Rule): Rule {
  return (attributes, node) => {
    const { verb, subresource, name } = attributes;
    if (subresource !== '') return no('nodes may not access the status subresource of PodCertificateRequests');
    if (verb === 'create') return allow;
    if (verb === 'get') return name === '' ? no('No Object name found') : then(attributes, node);
    if (verb !== 'list' && verb !== 'watch') return no(`nodes may not ${verb} podcertificaterequests`);
    return selectsNode(attributes, node)
      ? allow
      : no('can only list/watch podcertificaterequests with nodeName field selector');
  };
}

function slices(then: Rule): Rule {
  return (attributes, node) => {
    if (attributes.subresource !== '') return no('cannot authorize ResourceSlice subresources');
    if (attributes.verb === 'create') return allow;
    if (['get', 'update', 'patch', 'delete'].includes(attributes.verb))
      return attributes.name === '' ? no('No Object name found') : then(attributes, node);
    if (!['list', 'watch', 'deletecollection'].includes(attributes.verb)) return no(sliceVerbs);
    return selectsNode(attributes, node)
      ? allow
      : no('can only list/watch/deletecollection resourceslices with nodeName field selector');
  };
}

const sliceVerbs =
  'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection';
