// The node authorizer: the program on a node may read what runs there needs, and write about itself.

import type { PendingParts } from '../../base/pending-parts.ts';
import type { AccessAttributes, Decision } from '../../meta/access.ts';
import { type Dialect, groupName } from '../../meta/dialect.ts';
import { nodeOfUser } from '../../meta/user.ts';
import type { AuthorizationModule } from '../authorizer.ts';
import { type RoleGates, rulesOfNodes } from '../rbac/roles/components.ts';
import { allows } from '../rbac/rules.ts';
import type { NodeGraph } from './node-graph.ts';

type Rule = (asked: AccessAttributes, node: string) => Decision;

const allow: Decision = { kind: 'allow' };
const no = (reason = ''): Decision => (reason === '' ? { kind: 'noOpinion' } : { kind: 'noOpinion', reason });
const noOpinion = no();

/**
 * The rules of the role of nodes count as far as nothing narrower is said here. While parts of the graph are still being read,
 * a decision that they may change waits for them.
 */
export function nodeModule(
  graph: NodeGraph,
  dialect: Dialect,
  gates: RoleGates,
  parts: Pick<PendingParts, 'whole'> = { whole: undefined },
): AuthorizationModule {
  const rules = rulesOfNodes(dialect, gates);
  const narrow = narrowRules(graph, dialect, gates);
  return {
    authorize(asked) {
      const node = nodeOfUser(asked.user);
      if (node === undefined) return noOpinion;
      if (node === '') return no(`unknown node for user ${JSON.stringify(asked.user.name)}`);
      const rule = asked.isResource ? narrow.get(`${asked.group}/${asked.resource}`) : undefined;
      if (rule !== undefined) {
        const decision = rule(asked, node);
        const { whole } = parts;
        return decision.kind === 'allow' || whole === undefined ? decision : whole.then(() => rule(asked, node));
      }
      return rules.some((one) => allows(one, asked)) ? allow : noOpinion;
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
    ['/secrets', readingIn(needed('secrets'))],
    ['/configmaps', readingIn(needed('configmaps'))],
    ['/persistentvolumes', getting(volume)],
    ['/persistentvolumeclaims', claims(needed('persistentvolumeclaims'))],
    ['/serviceaccounts', accounts(needed('serviceaccounts'))],
    ['/nodes', ownNode],
    ['/pods', pods(graph)],
    [`${groupName(dialect, 'coordination')}/leases`, ownLease(dialect.nodeLeaseNamespace)],
    [`${storage}/csinodes`, ownDrivers],
    [`${storage}/volumeattachments`, getting(owned('volumeattachments'))],
    [`${resource}/resourceclaims`, getting(needed('resourceclaims'))],
    [`${resource}/resourceslices`, slices(owned('resourceslices'))],
    ...(gates.PodCertificateRequest ? [podCertificates] : []),
  ]);
}

/** Objects one by one, by name. */
function getting(then: Rule): Rule {
  return (asked, node) => {
    if (asked.verb !== 'get') return no('can only get individual resources of this type');
    if (asked.subresource !== '') return no('cannot get subresource');
    return asked.name === '' ? no('No Object name found') : then(asked, node);
  };
}

/** The same for objects in namespaces, which may be watched too. */
function readingIn(then: Rule): Rule {
  return (asked, node) => {
    if (!reads.includes(asked.verb)) return no('can only read resources of this type');
    if (asked.subresource !== '') return no('cannot read subresource');
    if (asked.namespace === '') return no('can only read namespaced object of this type');
    return asked.name === '' ? no('No Object name found') : then(asked, node);
  };
}

const reads = ['get', 'list', 'watch'];

function claims(then: Rule): Rule {
  const read = getting(then);
  return (asked, node) => {
    if (asked.subresource !== 'status') return read(asked, node);
    // the known words name `get` too, which is not allowed
    if (asked.verb !== 'update' && asked.verb !== 'patch') return no('can only get/update/patch this type');
    return asked.name === '' ? no('No Object name found') : then(asked, node);
  };
}

/** Accounts of pods on the node: they are read, and get tokens. */
function accounts(then: Rule): Rule {
  const read = readingIn(then);
  return (asked, node) => {
    if (asked.subresource === '' && asked.verb === 'get') return read(asked, node);
    if (asked.verb !== 'create' || asked.name === '')
      return no('can only create tokens for individual service accounts');
    return asked.subresource === 'token'
      ? then(asked, node)
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
  return (asked, node) => {
    const { verb, subresource } = asked;
    if (subresource === 'status') return verb === 'update' || verb === 'patch' ? allow : noOpinion;
    if (subresource === 'eviction') return verb === 'create' ? allow : noOpinion;
    if (subresource !== '') return noOpinion;
    if (verb === 'create' || verb === 'delete') return allow;
    if (verb === 'get') return related(graph.needs(node, 'pods', asked.namespace, asked.name), node);
    if (verb !== 'list' && verb !== 'watch') return noOpinion;
    if (selectsNode(asked, node)) return allow;
    return asked.name === ''
      ? no(`can only list/watch pods with spec.nodeName field selector`)
      : related(graph.needs(node, 'pods', asked.namespace, asked.name), node);
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
  return (asked, node) => {
    const { verb, subresource, name } = asked;
    if (subresource !== '') return no('nodes may not access the status subresource of PodCertificateRequests');
    if (verb === 'create') return allow;
    if (verb === 'get') return name === '' ? no('No Object name found') : then(asked, node);
    if (verb !== 'list' && verb !== 'watch') return no(`nodes may not ${verb} podcertificaterequests`);
    return selectsNode(asked, node)
      ? allow
      : no('can only list/watch podcertificaterequests with nodeName field selector');
  };
}

function slices(then: Rule): Rule {
  return (asked, node) => {
    if (asked.subresource !== '') return no('cannot authorize ResourceSlice subresources');
    if (asked.verb === 'create') return allow;
    if (['get', 'update', 'patch', 'delete'].includes(asked.verb))
      return asked.name === '' ? no('No Object name found') : then(asked, node);
    if (!['list', 'watch', 'deletecollection'].includes(asked.verb)) return no(sliceVerbs);
    return selectsNode(asked, node)
      ? allow
      : no('can only list/watch/deletecollection resourceslices with nodeName field selector');
  };
}

const sliceVerbs =
  'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection';
