// How ImagePolicyWebhook is set up: its own map in the AdmissionConfiguration, of no group and version.

import { JsonFields } from '../../../base/json/json-fields.ts';
import { type Kubeconfig, KubeconfigError } from '../../../client/kubeconfig/kubeconfig.ts';
import { loadKubeconfig } from '../../../client/kubeconfig/load.ts';
import { type Target, targetOf } from '../../../client/kubeconfig/target.ts';
import { parseYaml } from '../../../codec/body.ts';
import { formatDuration } from '../../../meta/duration.ts';

export interface ImagePolicySettings {
  /** Where the backend is, and as what it is asked. */
  readonly backend: Target;
  /** How long a yes counts, and how long a no. */
  readonly allowMs: number;
  readonly denyMs: number;
  /** The pause before the backend is asked a second time. */
  readonly firstPauseMs: number;
  /** Whether pods are let in where the backend gives no answer. */
  readonly defaultAllow: boolean;
}

interface Bounds {
  /** Milliseconds that one counts for. */
  readonly unit: number;
  readonly least: number;
  readonly most: number;
  readonly usual: number;
}

const minute = 60_000;
const nanosecond = 1e-6;
const bounds: Readonly<Record<'retryBackoff' | 'allowTTL' | 'denyTTL', Bounds>> = {
  retryBackoff: { unit: 1, least: nanosecond, most: 5 * minute, usual: 500 },
  allowTTL: { unit: 1000, least: 1000, most: 30 * minute, usual: 5 * minute },
  denyTTL: { unit: 1000, least: 1000, most: 30 * minute, usual: 30_000 },
};

export async function readImagePolicy(bytes: Uint8Array): Promise<ImagePolicySettings> {
  const fields = JsonFields.of((await parseYaml(bytes)).value, '').object('imagePolicy');
  const given = fields ?? JsonFields.of(undefined, 'imagePolicy');
  const file = given.text('kubeConfigFile') || given.text('clientConfigFile');
  const [firstPauseMs, allowMs, denyMs] = [
    milliseconds(given, 'retryBackoff'),
    milliseconds(given, 'allowTTL'),
    milliseconds(given, 'denyTTL'),
  ];
  if (file === '') throw new Error('imagePolicy.kubeConfigFile: the place of the backend is needed');
  const backend = backendOf(await loadKubeconfig({ file }));
  return { backend, firstPauseMs, allowMs, denyMs, defaultAllow: given.flag('defaultAllow') };
}

/** Zero stands for the default, and minus one for no time at all. */
function milliseconds(fields: JsonFields, name: keyof typeof bounds): number {
  const { unit, least, most, usual } = bounds[name];
  const given = fields.number(name) ?? 0;
  if (!Number.isInteger(given)) throw new Error(`${fields.at(name)}: must be a whole number`);
  if (given === 0) return usual;
  if (given === -1) return 0;
  const ms = given * unit;
  if (ms >= least && ms <= most) return ms;
  const shown = (value: number) => formatDuration(value / 1000);
  throw new Error(`${fields.at(name)}: valid value is between ${shown(least)} and ${shown(most)}, got ${shown(ms)}`);
}

/** The backend decides what runs in the cluster: it has to be known for certain, and be asked directly. */
function backendOf(config: Kubeconfig): Target {
  const target = targetOf(config);
  const { url, cluster, user } = target;
  const no = (isWrong: boolean, why: string) => {
    if (isWrong) throw new KubeconfigError(`the image policy backend ${why}`);
  };
  no(url.protocol !== 'https:', 'must use https');
  no(cluster.insecureSkipTlsVerify, 'cannot be used with insecure-skip-tls-verify');
  no(cluster.tlsServerName !== '', 'cannot be used with tls-server-name');
  no(cluster.proxyUrl !== '', 'cannot be used with proxy-url');
  no(user.exec !== undefined, 'cannot be used with credentials of a plugin');
  no(user.impersonate.user !== '', 'cannot be used as another user');
  return target;
}
