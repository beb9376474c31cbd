// Options of admission, resolved: which plugins run, and how they are set up.

import { builtInPlugins } from '../admission/catalog.ts';
import { imageReviewVersion } from '../admission/plugins/image-policy-webhook/image-review.ts';
import type { LocateVolume } from '../admission/plugins/volume-places.ts';
import type { Dialect } from '../meta/dialect.ts';
import { OptionError } from './option-error.ts';
import { isVersionOn, type RuntimeConfig } from './runtime-config.ts';
import type { ResolvedOptions } from './server-options.ts';

export interface AdmissionConfig {
  /** Names of the plugins that run. */
  readonly plugins: ReadonlySet<string>;
  readonly configFile: string | undefined;
  readonly cloudConfigFile: string | undefined;
  readonly locateVolume: LocateVolume | undefined;
  readonly notReadyTolerationSeconds: number;
  readonly unreachableTolerationSeconds: number;
}

export function resolveAdmission(
  options: ResolvedOptions,
  dialect: Dialect,
  runtimeConfig: RuntimeConfig,
): AdmissionConfig {
  const plugins = options.admissionControl === undefined ? resolvePlugins(options) : exactPlugins(options);
  if (plugins.has('ImagePolicyWebhook')) requireImageReviews(dialect, runtimeConfig);
  return {
    plugins,
    configFile: options.admissionControlConfigFile,
    cloudConfigFile: options.cloudConfigFile,
    locateVolume: options.locateVolume,
    notReadyTolerationSeconds: options.defaultNotReadyTolerationSeconds,
    unreachableTolerationSeconds: options.defaultUnreachableTolerationSeconds,
  };
}

function exactPlugins(options: ResolvedOptions): ReadonlySet<string> {
  const { admissionControl: names = [], enableAdmissionPlugins, disableAdmissionPlugins } = options;
  if (enableAdmissionPlugins !== undefined || disableAdmissionPlugins !== undefined)
    throw new OptionError(
      'admissionControl: and enableAdmissionPlugins/disableAdmissionPlugins flags are mutually exclusive',
    );
  for (const name of names) requireKnown('admissionControl', name);
  return new Set(names);
}

function resolvePlugins(options: ResolvedOptions): ReadonlySet<string> {
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
