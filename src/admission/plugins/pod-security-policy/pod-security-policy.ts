// PodSecurityPolicy: a pod keeps to a policy that its author, or its account, may use; the policy fills in what the pod leaves out.

import { isSameJson } from '../../../base/json/json.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import type { PodSecurityPolicy } from '../../../groups/policy/v1beta1/pod-security-policy-type.ts';
import { resourceAccess } from '../../../meta/access.ts';
import { apiGroup, labelKey } from '../../../meta/dialect.ts';
import { withMeta } from '../../../meta/object.ts';
import type { FieldError } from '../../../meta/status.ts';
import { serviceAccountGroups, serviceAccountName, type UserInfo } from '../../../meta/user.ts';
import type { AdmissionEngines } from '../../engines.ts';
import { isOnlyCollected } from '../../only-collected.ts';
import { type AdmissionPlugin, type AdmissionRequest, objectsOf, refusal, writes } from '../../plugin.ts';
import { checkPod } from './policy-checks.ts';
import { withDefaults } from './policy-defaults.ts';

type Engines = Pick<AdmissionEngines, 'dialect' | 'objects' | 'access' | 'resourceOf' | 'webhooks'>;

const name = 'PodSecurityPolicy';
const plural = 'podsecuritypolicies';
/** Rights may be given for either group. */
const groups = ['policy', 'extensions'] as const;

export function podSecurityPolicy(engines: Engines): AdmissionPlugin {
  const { dialect } = engines;
  const group = groups.find((one) => engines.resourceOf(one, 'v1beta1', name) !== undefined);
  if (group === undefined)
    engines.webhooks.notice(
      { plugin: name },
      'the plugin has no effect: runtimeConfig does not turn on policy/v1beta1',
    );
  const isPod = objectsOf('', 'pods');
  const annotation = labelKey(dialect, 'psp');
  const auditPrefix = `${name.toLowerCase()}.${apiGroup(dialect, 'policy')}/`;
  const resource = { group: group ?? '', version: 'v1beta1', resource: plural };
  const policies = async () => (await engines.objects.list(resource, '')) as readonly PodSecurityPolicy[];
  return {
    name,
    operations: writes,
    covers: (definition, subresource) => group !== undefined && isPod(definition, subresource),
    async mutate(request) {
      // changes of pods are only looked at
      if (request.operation !== 'CREATE') return request.object;
      const found = await choose(engines, request, sorted(await policies()), true);
      if (found.pod === undefined) throw unfit(request, 'admit', found.errors);
      request.annotate(`${auditPrefix}admit-policy`, found.policy);
      const { annotations } = found.pod.metadata;
      return withMeta(found.pod, { annotations: { ...annotations, [annotation]: found.policy } });
    },
    async validate(request) {
      // also a pod that no policy would let in any more can be collected
      if (isOnlyCollected(request)) return;
      const hint = request.object?.metadata.annotations?.[annotation];
      const found = await choose(engines, request, sorted(await policies(), hint), false);
      if (found.pod === undefined) throw unfit(request, 'validate', found.errors);
      request.annotate(`${auditPrefix}validate-policy`, found.policy);
    },
  };
}

/** By name; the one that the pod was let in by comes first. */
const sorted = (policies: readonly PodSecurityPolicy[], first?: string): readonly PodSecurityPolicy[] => {
  const key = ({ metadata }: PodSecurityPolicy) => (metadata.name === first ? '' : (metadata.name ?? ''));
  return [...policies].sort((a, b) => (key(a) < key(b) ? -1 : 1));
};

const unfit = (request: AdmissionRequest, what: 'admit' | 'validate', errors: readonly FieldError[]) =>
  refusal(
    request,
    `PodSecurityPolicy: unable to ${what} pod: [${errors.map((one) => `${one.field}: ${one.message}`).join(' ')}]`,
  );

type Choice =
  | { readonly pod: Pod; readonly policy: string }
  | { readonly pod: undefined; readonly errors: readonly FieldError[] };

/** A policy that takes the pod as it is comes before those that change it; errors of policies that the author may not use are not told. */
async function choose(
  engines: Engines,
  request: AdmissionRequest,
  policies: readonly PodSecurityPolicy[],
  mayChange: boolean,
): Promise<Choice> {
  if (policies.length === 0)
    throw refusal(request, 'PodSecurityPolicy: no providers available to validate pod request');
  const pod = request.object as Pod;
  const rights = new PolicyRights(engines, request);
  let changed: Choice | undefined;
  const failed: { readonly policy: string; readonly errors: readonly FieldError[] }[] = [];
  for (const policy of policies) {
    const policed = { policy, spec: policy.spec ?? {}, dialect: engines.dialect };
    const policyName = policy.metadata.name ?? '';
    const next = withDefaults(policed, pod);
    const errors = checkPod(policed, next);
    if (errors.length > 0) {
      failed.push({ policy: policyName, errors });
      continue;
    }
    const isChange = !isSameJson(next, pod);
    if (isChange && (!mayChange || changed !== undefined)) continue;
    if (!(await rights.mayUse(policyName))) continue;
    if (!isChange) return { pod, policy: policyName };
    changed = { pod: next, policy: policyName };
  }
  if (changed !== undefined) return changed;
  const told: FieldError[] = [];
  for (const { policy, errors } of failed) if (await rights.mayUse(policy)) told.push(...errors);
  return { pod: undefined, errors: told };
}

/** Which policies the author of a request may use, or the account that the pod runs as. */
class PolicyRights {
  readonly #access: Engines['access'];
  readonly #namespace: string;
  readonly #users: readonly UserInfo[];

  constructor({ access }: Engines, { user, namespace, object }: AdmissionRequest) {
    const account = (object as Pod).spec?.serviceAccountName;
    const asAccount = account && {
      name: serviceAccountName(namespace, account),
      groups: serviceAccountGroups(namespace),
    };
    this.#access = access;
    this.#namespace = namespace;
    this.#users = asAccount ? [asAccount, user] : [user];
  }

  async mayUse(policy: string): Promise<boolean> {
    const about = { verb: 'use', version: '*', resource: plural, namespace: this.#namespace, name: policy };
    for (const user of this.#users)
      for (const group of groups) {
        const { kind } = await this.#access.decide(resourceAccess({ user, group, ...about }));
        if (kind === 'allow') return true;
      }
    return false;
  }
}
