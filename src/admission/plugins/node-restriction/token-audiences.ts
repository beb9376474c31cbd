// The audiences for which a node may get tokens: those that the pod's volumes name, by themselves or through their CSI driver,
// and those that an authorizer grants the node besides.

import type { MaybePromise } from '../../../base/maybe-promise.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import type { PersistentVolumeClaim } from '../../../groups/core/v1/volume/persistent-volume-claim-type.ts';
import type { PersistentVolume } from '../../../groups/core/v1/volume/persistent-volume-type.ts';
import type { CSIDriver } from '../../../groups/storage/v1/csi-driver.ts';
import { resourceAccess } from '../../../meta/access.ts';
import { groupName } from '../../../meta/dialect.ts';
import { requireAllowed } from '../../../meta/require-access.ts';
import { notFound } from '../../../meta/status.ts';
import { type AdmissionRequest, refusal } from '../../plugin.ts';
import type { NodeEngines } from './node-rule.ts';

type PodVolume = NonNullable<NonNullable<Pod['spec']>['volumes']>[number];

const claims = { group: '', version: 'v1', resource: 'persistentvolumeclaims' };
const volumes = { group: '', version: 'v1', resource: 'persistentvolumes' };

/** The CSI drivers that took over from kinds of volumes. */
const successors: ReadonlyMap<string, string> = new Map([
  ['gcePersistentDisk', 'pd.csi.storage.gke.io'],
  ['awsElasticBlockStore', 'ebs.csi.aws.com'],
  ['cinder', 'cinder.csi.openstack.org'],
  ['azureDisk', 'disk.csi.azure.com'],
  ['azureFile', 'file.csi.azure.com'],
  ['vsphereVolume', 'csi.vsphere.vmware.com'],
  ['portworxVolume', 'pxd.portworx.com'],
]);

/** Throws to refuse. No audience at all stands for that of this server. */
export function restrictAudiences(
  engines: NodeEngines,
  request: AdmissionRequest,
  pod: Pod,
  audiences: readonly string[],
): MaybePromise<void> {
  if (audiences.length > 1) throw refusal(request, 'node may only request 0 or 1 audiences');
  const [audience = ''] = audiences;
  if (pod.spec?.volumes?.some((volume) => projects(volume, audience)) === true) return;
  return checkElsewhere(engines, request, pod, audience);
}

function projects({ projected }: PodVolume, audience: string): boolean {
  const sources = projected?.sources ?? [];
  return sources.some(({ serviceAccountToken: token }) => token != null && (token.audience ?? '') === audience);
}

async function checkElsewhere(
  engines: NodeEngines,
  request: AdmissionRequest,
  pod: Pod,
  audience: string,
): Promise<void> {
  const shown = JSON.stringify(audience);
  const { isFound, problems } = await findInDrivers(engines, pod, audience);
  if (isFound) return;
  if (problems.length > 0) throw refusal(request, `error validating audience ${shown}: ${listed(problems)}`);
  const { user, namespace, name } = request;
  const verb = 'request-serviceaccounts-token-audience';
  const asked = resourceAccess({ user, verb, version: 'v1', resource: audience, namespace, name });
  await requireAllowed(engines.access, asked, ({ error }) => {
    const why =
      error === undefined
        ? `${user.name} is not authorized to request tokens for this audience`
        : `error authorizing ${user.name} to request tokens for this audience: ${error}`;
    return refusal(request, `audience ${shown} not found in pod spec volume, ${why}`);
  });
}

/** What could not be looked up matters only where the audience is found nowhere. */
async function findInDrivers(engines: NodeEngines, pod: Pod, audience: string) {
  const problems = new Set<string>();
  for (const volume of pod.spec?.volumes ?? []) {
    const driver = await driverOf(engines, pod, volume);
    if (driver === undefined) continue;
    const audiences = 'problem' in driver ? driver : await audiencesOf(engines, driver.name);
    if ('problem' in audiences) problems.add(audiences.problem);
    else if (audiences.names.includes(audience)) return { isFound: true, problems: [] };
  }
  return { isFound: false, problems: [...problems] };
}

interface Problem {
  readonly problem: string;
}

type Driver = { readonly name: string } | Problem | undefined;

/** The CSI driver behind a volume; undefined where there is none. */
async function driverOf(engines: NodeEngines, { metadata }: Pod, volume: PodVolume): Promise<Driver> {
  const { ephemeral, persistentVolumeClaim: claim, csi } = volume;
  const namespace = metadata.namespace ?? '';
  if (ephemeral?.volumeClaimTemplate != null)
    return driverOfClaim(engines, namespace, `${metadata.name ?? ''}-${volume.name}`);
  if (claim != null) return driverOfClaim(engines, namespace, claim.claimName ?? '');
  return driverIn(volume, csi?.driver);
}

async function driverOfClaim({ objects }: NodeEngines, namespace: string, name: string): Promise<Driver> {
  const claim = (await objects.get(claims, { namespace, name })) as PersistentVolumeClaim | undefined;
  if (claim === undefined) return missing('', 'persistentvolumeclaim', name);
  const { volumeName = '' } = claim.spec ?? {};
  const volume = (await objects.get(volumes, { namespace: '', name: volumeName })) as PersistentVolume | undefined;
  if (volume === undefined) return missing('', 'persistentvolume', volumeName);
  return driverIn(volume.spec ?? {}, volume.spec?.csi?.driver);
}

/** The driver that a source names, or that took over from its kind. */
function driverIn(source: object, named: string | undefined): Driver {
  if (named !== undefined && named !== '') return { name: named };
  const kind = Object.entries(source).find(([key, value]) => value != null && successors.has(key))?.[0];
  return kind === undefined ? undefined : { name: successors.get(kind) as string };
}

async function audiencesOf(
  { objects, dialect }: NodeEngines,
  name: string,
): Promise<{ readonly names: readonly string[] } | Problem> {
  const group = groupName(dialect, 'storage');
  const found = await objects.get({ group, version: 'v1', resource: 'csidrivers' }, { namespace: '', name });
  if (found === undefined) return missing(group, 'csidriver', name);
  const { tokenRequests } = (found as CSIDriver).spec ?? {};
  return { names: (tokenRequests ?? []).map((one) => one.audience ?? '') };
}

const missing = (group: string, resource: string, name: string): Problem => ({
  problem: notFound({ group, resource, name }).message,
});

const listed = (problems: readonly string[]) => (problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`);
