// PodSecurity: pods are held to the standard that their namespace asks for; what would make such pods is warned about.

import { isDeepStrictEqual } from 'node:util';
import { andThen, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { Pod } from '../../../groups/core/v1/pod.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { invalid } from '../../../meta/status.ts';
import type { ResourceDefinition } from '../../../schema/resource.ts';
import type { AdmissionEngines, PodSecuritySettings } from '../../engines.ts';
import { type AdmissionPlugin, type AdmissionRequest, objectsOf, refusal, writes } from '../../plugin.ts';
import { namespaces } from '../namespace-lifecycle.ts';
import { warnOfExisting } from './existing-pods.ts';
import { detailsOf, type JudgedPod, labelsPrefix, type Policy, readPolicy, shown, violationsOf } from './policy.ts';

type Engines = Pick<AdmissionEngines, 'dialect' | 'objects' | 'onPodSecurity'> & {
  readonly settings: { readonly podSecurity: PodSecuritySettings };
};

/** Where objects that make pods have the description of them, by group and plural. */
const templates: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['/replicationcontrollers', ['spec', 'template']],
  ['/podtemplates', ['template']],
  ...['deployments', 'replicasets', 'daemonsets', 'statefulsets'].map(
    (plural) => [`apps/${plural}`, ['spec', 'template']] as const,
  ),
  ['batch/jobs', ['spec', 'template']],
  ['batch/cronjobs', ['spec', 'jobTemplate', 'spec', 'template']],
]);

const templatePath = ({ group, plural }: ResourceDefinition) => templates.get(`${group}/${plural}`);

export function podSecurity(engines: Engines): AdmissionPlugin {
  const isPod = objectsOf('', 'pods', 'ephemeralcontainers');
  const isNamespace = objectsOf('', 'namespaces');
  return {
    name: 'PodSecurity',
    operations: writes,
    covers: (definition, subresource) =>
      isPod(definition, subresource) ||
      isNamespace(definition, subresource) ||
      (subresource === '' && templatePath(definition) !== undefined),
    validate(request) {
      const { definition, subresource } = request;
      if (isNamespace(definition, subresource)) return checkNamespace(engines, request);
      const template = templateOf(request);
      if (template === undefined) return;
      return andThen(policyFor(engines, request, template), (policy) => {
        if (policy !== undefined) judge(engines, request, policy, template, isPod(definition, subresource));
      });
    },
  };
}

/** Undefined where nothing changes that the standards look at. */
function templateOf({ definition, operation, object, oldObject }: AdmissionRequest): JudgedPod | undefined {
  const path = templatePath(definition);
  if (path === undefined) {
    const isSame = operation === 'UPDATE' && isDeepStrictEqual(lookedAt(object as Pod), lookedAt(oldObject as Pod));
    return isSame ? undefined : (object as Pod);
  }
  const found = path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], object);
  return found === undefined ? undefined : (found as JudgedPod);
}

const lookedAt = ({ metadata: { annotations }, spec = {} }: Pod) => {
  const { tolerations: _, activeDeadlineSeconds: __, terminationGracePeriodSeconds: ___, ...rest } = spec;
  return [annotations, rest];
};

/** Undefined where no standard counts. */
function policyFor(
  { dialect, objects, onPodSecurity, settings: { podSecurity: settings } }: Engines,
  request: AdmissionRequest,
  { spec }: JudgedPod,
): MaybePromise<Policy | undefined> {
  const { namespace, user } = request;
  const { exemptions } = settings;
  const exempt = (by: string) => {
    request.annotate(`${labelsPrefix(dialect)}exempt`, by);
    onPodSecurity?.(requestOf(request));
  };
  if (exemptions.namespaces.has(namespace)) return void exempt('namespace');
  if (exemptions.usernames.has(user.name)) return void exempt('user');
  if (exemptions.runtimeClasses.has(spec?.runtimeClassName ?? '')) return void exempt('runtimeClass');
  return andThen(objects.get(namespaces, { namespace: '', name: namespace }), (found) => {
    const { policy, errors } = readPolicy(found?.metadata.labels, settings.defaults, dialect);
    const [error] = errors;
    if (error !== undefined) request.annotate(`${labelsPrefix(dialect)}error`, `${error.field}: ${error.message}`);
    return policy;
  });
}

function judge(
  { dialect, onPodSecurity }: Engines,
  request: AdmissionRequest,
  policy: Policy,
  template: JudgedPod,
  isPod: boolean,
): void {
  const prefix = labelsPrefix(dialect);
  const { enforce, audit, warn } = policy;
  if (isPod) {
    request.annotate(`${prefix}enforce-policy`, shown(enforce));
    const wrong = violationsOf(enforce, template, dialect);
    decided('enforce', wrong.length > 0 ? 'deny' : 'allow');
    if (wrong.length > 0) {
      annotateAudit();
      throw refusal(request, `violates PodSecurity "${shown(enforce)}": ${detailsOf(wrong)}`);
    }
  }
  annotateAudit();
  const odd = violationsOf(warn, template, dialect);
  if (odd.length > 0) {
    request.warn(would(shown(warn), detailsOf(odd)));
    decided('warn', 'deny');
  }

  function annotateAudit() {
    const noted = violationsOf(audit, template, dialect);
    if (noted.length === 0) return;
    request.annotate(`${prefix}audit-violations`, would(shown(audit), detailsOf(noted)));
    decided('audit', 'deny');
  }

  function decided(mode: keyof Policy, decision: 'allow' | 'deny') {
    onPodSecurity?.({ ...requestOf(request), evaluated: { decision, mode, ...policy[mode] } });
  }
}

const requestOf = ({ operation, definition: { plural }, subresource }: AdmissionRequest) => ({
  operation,
  resource: plural,
  subresource,
});

const would = (policy: string, details: string) => `would violate PodSecurity "${policy}": ${details}`;

/** Labels that say something else than a level are refused, unless they were there before. */
function checkNamespace(engines: Engines, request: AdmissionRequest): MaybePromise<void> {
  const { dialect, settings } = engines;
  const { defaults, exemptions } = settings.podSecurity;
  const read = (object: ApiObject | undefined) => readPolicy(object?.metadata.labels, defaults, dialect);
  const next = read(request.object);
  const old = request.oldObject && read(request.oldObject);
  if (next.errors.length > 0) {
    if (old !== undefined && old.errors.length > 0) return;
    throw invalid({ group: '', kind: 'Namespace', name: request.name }, next.errors);
  }
  const isNew = old !== undefined && !isDeepStrictEqual(old.policy.enforce, next.policy.enforce);
  if (!isNew || exemptions.namespaces.has(request.name)) return;
  return warnOfExisting(engines, request, next.policy.enforce);
}
