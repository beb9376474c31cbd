// ServiceAccount: every pod runs as an account of its namespace, gets a token for it, and the secrets to pull images with.

import { withFields } from '../../../base/maps/with-fields.ts';
import { andThen, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { Container } from '../../../groups/core/v1/pod/container-defaults.ts';
import { isMirror } from '../../../groups/core/v1/pod/pod-annotation-rules.ts';
import { podReferences } from '../../../groups/core/v1/pod/pod-references.ts';
import type { PodSpec } from '../../../groups/core/v1/pod/pod-spec.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import type { ServiceAccount } from '../../../groups/core/v1/service-account.ts';
import { apiAccessVolume, type Dialect, labelKey } from '../../../meta/dialect.ts';
import { generateName } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { plainError } from '../../../meta/status.ts';
import type { AdmissionEngines } from '../../engines.ts';
import { type AdmissionPlugin, type AdmissionRequest, objectsOf, refusal, writes } from '../../plugin.ts';
import { unmountable, unmountableByEphemeral } from './mountable-secrets.ts';

type Engines = Pick<AdmissionEngines, 'dialect' | 'objects'>;
type Account = ServiceAccount & ApiObject;

const defaultName = 'default';
const ephemeral = 'ephemeralcontainers';
const accounts = { group: '', version: 'v1', resource: 'serviceaccounts' };

/** The default account of a new namespace comes a moment after the namespace. */
const defaultWaitMs = 1350;

export function serviceAccount(engines: Engines): AdmissionPlugin {
  const { dialect } = engines;
  return {
    name: 'ServiceAccount',
    operations: writes,
    covers: objectsOf('', 'pods', ephemeral),
    mutate(request) {
      if (request.operation !== 'CREATE') return request.object;
      const pod = request.object as Pod;
      if (isMirror(pod, dialect)) return andThen(validate(engines, request), () => pod);
      const name = pod.spec?.serviceAccountName || defaultName;
      return andThen(accountOf(engines, request, name), (account) => {
        const changed = { ...pod, spec: withAccount(pod.spec ?? {}, account, dialect) };
        checkSecrets(request, account, changed, dialect);
        return changed;
      });
    },
    validate: (request) => validate(engines, request),
  };
}

function validate(engines: Engines, request: AdmissionRequest): MaybePromise<void> {
  const pod = request.object as Pod;
  if (request.operation === 'UPDATE' && request.subresource !== ephemeral) return;
  if (request.operation === 'CREATE' && isMirror(pod, engines.dialect)) return checkMirror(request, pod);
  const name = pod.spec?.serviceAccountName;
  if (!name) throw refusal(request, `no service account specified for pod ${request.namespace}/${request.name}`);
  return andThen(accountOf(engines, request, name), (account) => checkSecrets(request, account, pod, engines.dialect));
}

/** A node mirrors what it runs already, with no account's rights. */
function checkMirror(request: AdmissionRequest, pod: Pod): void {
  const { spec = {} } = pod;
  if (spec.serviceAccountName) throw refusal(request, 'a mirror pod may not reference service accounts');
  if (podReferences(pod).some(({ resource }) => resource === 'secrets'))
    throw refusal(request, 'a mirror pod may not reference secrets');
  const sources = (spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  if (sources.some(({ serviceAccountToken }) => serviceAccountToken !== undefined))
    throw refusal(request, 'a mirror pod may not use ServiceAccountToken volume projections');
}

function accountOf({ objects }: Engines, request: AdmissionRequest, name: string): MaybePromise<Account> {
  const { namespace } = request;
  const ref = { namespace, name };
  const isComing = name === defaultName;
  const found = andThen(objects.get(accounts, ref), (account) => {
    if (account !== undefined || !isComing) return account;
    return request.plannedNamespace === undefined
      ? objects.appears(accounts, ref, defaultWaitMs)
      : { kind: 'ServiceAccount', apiVersion: 'v1', metadata: ref };
  });
  return andThen(found, (account) => {
    if (account !== undefined) return account as Account;
    const why = `serviceaccount ${JSON.stringify(name)} not found`;
    throw refusal(request, `error looking up service account ${namespace}/${name}: ${why}`);
  });
}

function checkSecrets(request: AdmissionRequest, account: Account, { spec = {} }: Pod, dialect: Dialect): void {
  const marked = account.metadata.annotations?.[labelKey(dialect, 'enforce-mountable-secrets')];
  if (!['1', 't', 'T', 'true', 'TRUE', 'True'].includes(marked ?? '')) return;
  const isUpdate = request.operation === 'UPDATE';
  const why = isUpdate ? unmountableByEphemeral(spec, account) : unmountable(spec, account, dialect);
  if (why === undefined) return;
  // compat: what is wrong with ephemeral containers is an internal error
  throw isUpdate ? plainError(why) : refusal(request, why);
}

function withAccount(spec: PodSpec, account: Account, dialect: Dialect): PodSpec {
  const name = account.metadata.name ?? '';
  const { imagePullSecrets: own = [], automountServiceAccountToken: mounts } = spec;
  const given = account.imagePullSecrets ?? [];
  const secrets = own.length === 0 && given.length > 0 ? given.map((one) => ({ name: one.name ?? '' })) : undefined;
  const named = withFields(spec, { serviceAccountName: name, serviceAccount: name, imagePullSecrets: secrets });
  return (mounts ?? account.automountServiceAccountToken ?? true) ? withToken(named, dialect) : named;
}

/** Every container that has nothing else at the place of the token gets it there. */
function withToken(spec: PodSpec, dialect: Dialect): PodSpec {
  const mountPath = `/var/run/secrets/${labelKey(dialect, 'serviceaccount')}`;
  const existing = spec.volumes?.find((volume) => volume.name?.startsWith(apiAccessVolume));
  const name = existing?.name ?? generateName(apiAccessVolume);
  let isNeeded = false;
  const mounted = (container: Container): Container => {
    const mounts = container.volumeMounts ?? [];
    if (mounts.some((mount) => mount.mountPath === mountPath)) return container;
    isNeeded = true;
    return withFields(container, { volumeMounts: [...mounts, { name, readOnly: true, mountPath }] });
  };
  const { initContainers, containers } = spec;
  const begun = initContainers?.map(mounted);
  const run = containers?.map(mounted);
  const isThere = existing !== undefined || !isNeeded;
  const volumes = isThere ? undefined : [...(spec.volumes ?? []), { name, projected: tokenSources(dialect) }];
  return withFields(spec, { initContainers: begun, containers: run, volumes });
}

/** A token that ends with the pod, the CA of the server, and the namespace. */
const tokenSources = ({ rootCaConfigMap }: Dialect) => ({
  sources: [
    // compat: the seven seconds over an hour mark tokens that pods did not ask for
    { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
    { configMap: { name: rootCaConfigMap, items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: {
        items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
      },
    },
  ],
  defaultMode: 0o644,
});
