// Accounts that limit their pods to secrets they list: what of a pod asks for another.

import type { Container } from '../../../groups/core/v1/pod/container-defaults.ts';
import type { PodSpec } from '../../../groups/core/v1/pod/pod-spec.ts';
import type { ServiceAccount } from '../../../groups/core/v1/service-account.ts';
import type { Dialect } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';

type Account = ServiceAccount & ApiObject;

/** Says why a pod may not run as an account; undefined when it may. */
export function unmountable(spec: PodSpec, account: Account, { rules }: Dialect): string | undefined {
  const allowed = namesOf(account.secrets);
  const name = account.metadata.name ?? '';
  return (
    secretVolume(spec, allowed, name) ??
    (rules.mountableSecrets === 'projectedToo' ? projectedVolume(spec, allowed, name) : undefined) ??
    firstOf(spec.initContainers, 'init container', allowed, name) ??
    firstOf(spec.containers ?? [], 'container', allowed, name) ??
    pullSecret(spec, account)
  );
}

export function unmountableByEphemeral({ ephemeralContainers = [] }: PodSpec, account: Account): string | undefined {
  const containers = ephemeralContainers as readonly Container[];
  return firstOf(containers, 'ephemeral container', namesOf(account.secrets), account.metadata.name ?? '');
}

function secretVolume({ volumes = [] }: PodSpec, allowed: ReadonlySet<string>, account: string): string | undefined {
  const names = volumes.flatMap(({ secret }) => (secret === undefined ? [] : [secret.secretName ?? '']));
  const other = names.find((name) => !allowed.has(name));
  return other === undefined ? undefined : `volume with secret.secretName="${other}" is ${notAllowed(account)}`;
}

function projectedVolume({ volumes = [] }: PodSpec, allowed: ReadonlySet<string>, account: string): string | undefined {
  const sources = volumes.flatMap(({ projected }) => projected?.sources ?? []);
  const names = sources.flatMap(({ secret }) => (secret === undefined ? [] : [secret.name ?? '']));
  const other = names.find((name) => !allowed.has(name));
  return other === undefined ? undefined : `volume with projected secret.name="${other}" is ${notAllowed(account)}`;
}

const namesOf = (references: readonly { readonly name?: string }[] = []) =>
  new Set(references.map(({ name = '' }) => name));

const notAllowed = (account: string) => `not allowed because service account ${account} does not reference that secret`;

function firstOf(
  containers: readonly Container[] = [],
  what: string,
  allowed: ReadonlySet<string>,
  account: string,
): string | undefined {
  for (const { name, env = [], envFrom = [] } of containers) {
    for (const { name: variable, valueFrom } of env) {
      const secret = valueFrom?.secretKeyRef;
      if (secret !== undefined && !allowed.has(secret.name ?? ''))
        return `${what} ${name} with envVar ${variable} referencing secret.secretName="${secret.name ?? ''}" is ${notAllowed(account)}`;
    }
    for (const { secretRef: secret } of envFrom) {
      if (secret !== undefined && !allowed.has(secret.name ?? ''))
        return `${what} ${name} with envFrom referencing secret.secretName="${secret.name ?? ''}" is ${notAllowed(account)}`;
    }
  }
  return undefined;
}

function pullSecret({ imagePullSecrets = [] }: PodSpec, account: Account): string | undefined {
  const allowed = namesOf(account.imagePullSecrets);
  const index = imagePullSecrets.findIndex(({ name = '' }) => !allowed.has(name));
  if (index < 0) return undefined;
  const name = imagePullSecrets[index]?.name ?? '';
  return `imagePullSecrets[${index}].name="${name}" is not allowed because service account ${account.metadata.name} does not reference that imagePullSecret`;
}
