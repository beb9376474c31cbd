// Options of admission, resolved: which plugins run, and how they are set up.

import { builtInPlugins } from '../admission/catalog.ts';
import { imageReviewVersion } from '../admission/plugins/image-policy-webhook/image-review.ts';
import type { LocateVolume } from '../admission/plugins/volume-places.ts';
import type { Dialect } from '../meta/dialect.ts';
import { OptionError } from './option-error.ts';
import { isVersionOn, type RuntimeConfig } from './runtime-config.ts';

export interface AdmissionOptions {
  /** Admission plugins to run besides those that are on by default; their order means nothing. */
  readonly enableAdmissionPlugins?: readonly string[];
  /** Admission plugins not to run, even if they are on by default. */
  readonly disableAdmissionPlugins?: readonly string[];
  /** Exactly the admission plugins to run, without those that are on by default. */
  readonly admissionControl?: readonly string[];
  /** AdmissionConfiguration file: how plugins are set up. */
  readonly admissionControlConfigFile?: string;
  /** File with the locations of cloud disks, for PersistentVolumeLabel. */
  readonly cloudConfigFile?: string;
  /** Finds where the disk of a volume is, for PersistentVolumeLabel; called before `cloudConfigFile` is read. */
  readonly locateVolume?: LocateVolume;
  /** Seconds after which pods that say nothing about it leave a node that is not ready; 300 when not given. */
  readonly defaultNotReadyTolerationSeconds?: number;
  /** Seconds after which pods that say nothing about it leave a node that cannot be reached; 300 when not given. */
  readonly defaultUnreachableTolerationSeconds?: number;
}

export interface AdmissionConfig {
  /** Names of the plugins that run. */
  readonly plugins: ReadonlySet<string>;
  readonly configFile: string | undefined;
  readonly cloudConfigFile: string | undefined;
  readonly locateVolume: LocateVolume | undefined;
  readonly notReadyTolerationSeconds: number;
  readonly unreachableTolerationSeconds: number;
}

/** Seconds that pods stay on a node in trouble. */
const usualTolerationSeconds = 300;

export function resolveAdmission(
  options: AdmissionOptions,
  dialect: Dialect,
  runtimeConfig: RuntimeConfig,
): AdmissionConfig {
  const { defaultNotReadyTolerationSeconds: notReady, defaultUnreachableTolerationSeconds: unreachable } = options;
  const plugins = options.admissionControl === undefined ? resolvePlugins(options) : exactPlugins(options);
  if (plugins.has('ImagePolicyWebhook')) requireImageReviews(dialect, runtimeConfig);
  return {
    plugins,
    configFile: options.admissionControlConfigFile,
    cloudConfigFile: options.cloudConfigFile,
    locateVolume: options.locateVolume,
    notReadyTolerationSeconds: seconds('defaultNotReadyTolerationSeconds', notReady),
    unreachableTolerationSeconds: seconds('defaultUnreachableTolerationSeconds', unreachable),
  };
}

function exactPlugins(options: AdmissionOptions): ReadonlySet<string> {
  const { admissionControl: names = [], enableAdmissionPlugins, disableAdmissionPlugins } = options;
  if (enableAdmissionPlugins !== undefined || disableAdmissionPlugins !== undefined)
    throw new OptionError(
      'admissionControl: and enableAdmissionPlugins/disableAdmissionPlugins flags are mutually exclusive',
    );
  for (const name of names) requireKnown('admissionControl', name);
  return new Set(names);
}

function resolvePlugins(options: AdmissionOptions): ReadonlySet<string> {
  const { enableAdmissionPlugins: enabled = [], disableAdmissionPlugins: disabled = [] } = options;
  for (const name of enabled) requireKnown('enableAdmissionPlugins', name);
  for (const name of disabled) requireKnown('disableAdmissionPlugins', name);
  const both = enabled.find((name) => disabled.includes(name));
  if (both !== undefined) throw new OptionError(`disableAdmissionPlugins: ${both} is in enableAdmissionPlugins too`);
  const enabledPlugins = builtInPlugins.filter(
    ({ name, isOn }) => (isOn || enabled.includes(name)) && !disabled.includes(name),
  );
  return new Set(enabledPlugins.map(({ name }) => name));
}

function requireImageReviews(dialect: Dialect, runtimeConfig: RuntimeConfig): void {
  if (dialect.rules.imageReviewGroup === 'always') return;
  const name = imageReviewVersion(dialect);
  if (isVersionOn({ version: 'v1alpha1', offByDefault: true }, name, runtimeConfig)) return;
  throw new OptionError(`enableAdmissionPlugins: ImagePolicyWebhook needs ${name}=true in runtimeConfig`);
}

function requireKnown(option: string, name: string): void {
  if (builtInPlugins.some((plugin) => plugin.name === name)) return;
  throw new OptionError(`${option}: ${JSON.stringify(name)} is not an admission plugin`);
}

function seconds(option: string, given: number = usualTolerationSeconds): number {
  if (Number.isInteger(given)) return given;
  throw new OptionError(`${option}: ${given} is not a whole number of seconds`);
}
