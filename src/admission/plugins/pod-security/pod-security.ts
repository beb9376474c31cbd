// PodSecurity: pods are held to the standard that their namespace asks for; what would make such pods is warned about.

import { isSameJson } from '../../../base/json/json.ts';
import { andThen, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { type FieldError, invalid } from '../../../meta/status.ts';
import type { ResourceDefinition } from '../../../schema/resource.ts';
import type { AdmissionEngines, PodSecuritySettings } from '../../engines.ts';
import { type AdmissionPlugin, type AdmissionRequest, objectsOf, refusal, writes } from '../../plugin.ts';
import { namespaceOf } from '../../request-namespace.ts';
import { warnOfExisting } from './existing-pods.ts';
import {
  anything,
  asksNothing,
  compareLevels,
  detailsOf,
  isEquivalent,
  type JudgedPod,
  type LevelVersion,
  labelsPrefix,
  type Mode,
  modes,
  type Policy,
  readPolicy,
  shown,
  violationsOf,
} from './policy.ts';

type Engines = Pick<AdmissionEngines, 'clock' | 'dialect' | 'objects' | 'onPodSecurity'> & {
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

/** Parts of pods in which nothing is that the standards are about. */
const otherParts: ReadonlySet<string> = new Set([
  ...['exec', 'attach', 'binding', 'eviction', 'log', 'portforward', 'proxy', 'status'],
]);

export function podSecurity(engines: Engines): AdmissionPlugin {
  const isPod = (definition: ResourceDefinition) => objectsOf('', 'pods')(definition, '');
  const isNamespace = objectsOf('', 'namespaces');
  return {
    name: 'PodSecurity',
    operations: writes,
    covers: (definition, subresource) =>
      (isPod(definition) && !otherParts.has(subresource)) ||
      isNamespace(definition, subresource) ||
      (subresource === '' && templatePath(definition) !== undefined),
    validate(request) {
      const { definition, subresource } = request;
      if (isNamespace(definition, subresource)) return checkNamespace(engines, request);
      return checkPod(engines, request, isPod(definition));
    },
  };
}

function checkPod(engines: Engines, request: AdmissionRequest, isPod: boolean): MaybePromise<void> {
  const { dialect, objects, settings } = engines;
  const { defaults, exemptions } = settings.podSecurity;
  const { namespace, user } = request;
  const annotate = (key: string, value: string) => request.annotate(`${labelsPrefix(dialect)}${key}`, value);
  const exempt = (by: string) => {
    annotate('exempt', by);
    engines.onPodSecurity?.(requestOf(request));
  };
  if (exemptions.namespaces.has(namespace)) return exempt('namespace');
  if (exemptions.usernames.has(user.name)) return exempt('user');
  return andThen(namespaceOf(request, objects), (found) => {
    const { policy, errors } = readPolicy(found?.metadata.labels, defaults, dialect);
    if (errors.length === 0 && asksNothing(policy, isPod)) {
      if (isPod) allowAnything(engines, request, policy);
      return;
    }
    const template = templateOf(request);
    if (template === undefined) return;
    if (exemptions.runtimeClasses.has(template.spec?.runtimeClassName ?? '')) return exempt('runtimeClass');
    if (errors.length > 0) annotate('error', `Failed to parse policy: ${problemsIn(errors)}`);
    judge(engines, request, policy, template, isPod);
  });
}

function allowAnything({ dialect, onPodSecurity }: Engines, request: AdmissionRequest, { enforce }: Policy): void {
  request.annotate(`${labelsPrefix(dialect)}enforce-policy`, shown(anything));
  onPodSecurity?.({ ...requestOf(request), evaluated: { decision: 'allow', mode: 'enforce', ...enforce } });
}

function problemsIn(errors: readonly FieldError[]): string {
  const told = errors.map(({ field, message }) => `${field}: ${message}`);
  return told.length === 1 ? (told[0] as string) : `[${told.join(', ')}]`;
}

/** Undefined where nothing changes that the standards look at. */
function templateOf({ definition, operation, object, oldObject }: AdmissionRequest): JudgedPod | undefined {
  const path = templatePath(definition);
  if (path === undefined)
    return operation === 'UPDATE' && !hasNewImages(object as Pod, oldObject as Pod) ? undefined : (object as Pod);
  const found = path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], object);
  return found === undefined ? undefined : (found as JudgedPod);
}

/** Of what can be changed in a pod that is there, only images and new containers matter. */
function hasNewImages({ spec: next = {} }: Pod, { spec: old = {} }: Pod): boolean {
  const images = (list: 'containers' | 'initContainers') => (spec: typeof next) =>
    (spec[list] ?? []).map(({ image }) => image ?? '');
  const isOther = (['containers', 'initContainers'] as const).some(
    (list) => !isSameJson(images(list)(next), images(list)(old)),
  );
  const before = new Map((old.ephemeralContainers ?? []).map(({ name, image }) => [name, image]));
  return (
    isOther ||
    (next.ephemeralContainers ?? []).some(({ name, image }) => !before.has(name) || before.get(name) !== image)
  );
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
  const { operation, object, oldObject, name } = request;
  const read = (one: ApiObject | undefined) => readPolicy(one?.metadata.labels, defaults, dialect);
  const [next, old] = [read(object), read(oldObject)];
  const isKnown = operation === 'UPDATE' && isSameJson(next.errors, old.errors);
  if (next.errors.length > 0 && !isKnown) throw invalid({ group: '', kind: 'Namespace', name }, next.errors);
  const { enforce } = next.policy;
  if (operation === 'UPDATE' && !isStricter(enforce, old.policy.enforce)) return;
  if (exemptions.namespaces.has(name)) return warnOfExemption(engines, request, next.policy);
  if (operation === 'UPDATE') return warnOfExisting(engines, request, enforce);
}

/** Whether pods that were good enough before may not be so any more. */
function isStricter(next: LevelVersion, old: LevelVersion): boolean {
  if (next.level === 'privileged') return false;
  return next.version !== old.version || compareLevels(next.level, old.level) > 0;
}

/** Labels on a namespace that is not looked at have no effect: that is told where they ask for something. */
function warnOfExemption({ dialect, settings }: Engines, request: AdmissionRequest, policy: Policy): void {
  if (asksNothing(policy, true) || isEquivalent(policy, settings.podSecurity.defaults)) return;
  const labels = request.object?.metadata.labels ?? {};
  const isSet = (mode: Mode) =>
    ['', '-version'].some((suffix) => labels[`${labelsPrefix(dialect)}${mode}${suffix}`] !== undefined);
  const asked = modes
    .filter((mode) => policy[mode].level !== 'privileged' && isSet(mode))
    .map((mode) => `${mode}=${shown(policy[mode])}`);
  const name = JSON.stringify(request.name);
  request.warn(`namespace ${name} is exempt from Pod Security, and the policy (${asked.join(', ')}) will be ignored`);
}
