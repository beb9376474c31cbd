// The file of --admission-control-config-file: read once, with the files it names.

import { dirname, resolve } from 'node:path';
import { builtInPlugins } from '../admission/catalog.ts';
import type { PluginSettings } from '../admission/engines.ts';
import { decodeSettings, defaultSettings } from '../admission/plugin-settings.ts';
import type { LocateVolume } from '../admission/plugins/volume-places.ts';
import { isJsonObject } from '../base/json/json.ts';
import { parseYaml } from '../codec/body.ts';
import { decodeConfigurationFile, type WarnOfFile } from '../codec/configuration-file.ts';
import { apiGroup, type Dialect } from '../meta/dialect.ts';
import { anyJson, field, type Infer, listOf, string, struct } from '../schema/types.ts';
import type { AdmissionConfig } from './admission-options.ts';
import { openCloudFile } from './cloud-file.ts';
import type { FeatureGates } from './feature-gates.ts';
import { OptionError } from './option-error.ts';
import { readOptionFile } from './option-file.ts';

const option = 'admissionControlConfigFile';
const home = 'config';

const configurationType = struct(home, 'AdmissionConfiguration', 'How admission plugins are set up.', {
  plugins: field(
    1,
    listOf(
      struct(home, 'AdmissionPluginConfiguration', 'How one plugin is set up.', {
        name: field(1, string, { about: 'Name of the plugin.' }),
        path: field(2, string, { about: 'File with its configuration.' }),
        configuration: field(3, anyJson, { about: 'The configuration itself, instead of a file.' }),
      }),
    ),
    { about: 'Plugins that are not to be as they are by themselves.' },
  ),
});

type PluginEntry = NonNullable<Infer<typeof configurationType>['plugins']>[number];

export async function openAdmission(
  config: AdmissionConfig,
  dialect: Dialect,
  gates: FeatureGates,
  warn: WarnOfFile,
): Promise<PluginSettings> {
  const { configFile, notReadyTolerationSeconds, unreachableTolerationSeconds } = config;
  const locateVolume = await openPlaces(config);
  const usual = { ...defaultSettings, notReadyTolerationSeconds, unreachableTolerationSeconds, locateVolume };
  const settings = configFile === undefined ? usual : { ...usual, ...(await readFile(configFile, dialect, warn)) };
  if (config.plugins.has('EventRateLimit') && settings.eventLimits.length === 0)
    throw new OptionError(`enableAdmissionPlugins: EventRateLimit needs its limits in the file of ${option}`);
  const [plugin] = Object.keys(settings.manifestFolders);
  if (plugin !== undefined && !gates.ManifestBasedAdmissionControlConfig)
    throw new OptionError(`${option}: plugin ${JSON.stringify(plugin)}: ${needsGate}`);
  if (config.plugins.has('ImagePolicyWebhook') && settings.imagePolicy === undefined)
    throw new OptionError(`enableAdmissionPlugins: ImagePolicyWebhook needs its backend in the file of ${option}`);
  return settings;
}

/** The embedder's function is called before the file is read. */
async function openPlaces({ cloudConfigFile, locateVolume }: AdmissionConfig): Promise<LocateVolume | undefined> {
  if (cloudConfigFile === undefined) return locateVolume;
  const locateInFile = await openCloudFile(cloudConfigFile);
  if (locateVolume === undefined) return locateInFile;
  return async (disk, signal) => (await locateVolume(disk, signal)) ?? locateInFile(disk, signal);
}

const needsGate =
  'staticManifestsDir: Forbidden: staticManifestsDir requires the ManifestBasedAdmissionControlConfig feature gate to be enabled';

async function readFile(path: string, dialect: Dialect, warn: WarnOfFile): Promise<Partial<PluginSettings>> {
  const place = `${option}: ${path}: `;
  const entries = await read(place, () => readEntries(path, dialect, (text) => warn(place + text)));
  const settings: Partial<PluginSettings>[] = [];
  for (const entry of entries) {
    const plugin = `${place}plugin ${JSON.stringify(entry.name ?? '')}: `;
    const file = { folder: dirname(path), dialect, warn: (text: string) => warn(plugin + text) };
    settings.push(await read(plugin, () => settingsOf(entry, file)));
  }
  const users = settings.map((one) => one.webhookUsers);
  const webhookUsers = Object.assign({}, defaultSettings.webhookUsers, ...users) as PluginSettings['webhookUsers'];
  const manifestFolders = Object.assign({}, ...settings.map((one) => one.manifestFolders)) as object;
  return { ...(Object.assign({}, ...settings) as Partial<PluginSettings>), webhookUsers, manifestFolders };
}

/** Plugins whose configuration once was the whole file, by its only field. */
const wholeFilePlugins: Readonly<Record<string, string>> = {
  imagePolicy: 'ImagePolicyWebhook',
  podNodeSelectorPluginConfig: 'PodNodeSelector',
};

async function readEntries(path: string, dialect: Dialect, warn: WarnOfFile): Promise<readonly PluginEntry[]> {
  const bytes = readOptionFile(option, path);
  const group = apiGroup(dialect, 'apiserver.config');
  const { value } = await parseYaml(bytes);
  if (isJsonObject(value) && !('apiVersion' in value) && !('kind' in value)) {
    const fields = Object.keys(wholeFilePlugins).filter((name) => Object.hasOwn(value, name));
    for (const name of fields)
      warn(`a file with ${name} alone is deprecated, use AdmissionConfiguration in ${group}/v1`);
    if (fields.length > 0) return fields.map((name) => ({ name: wholeFilePlugins[name] ?? '', configuration: value }));
  }
  const expected = {
    group,
    versions: ['v1'],
    kind: 'AdmissionConfiguration',
    type: configurationType,
    olderNames: [
      { apiVersion: `${apiGroup(dialect, 'apiserver')}/v1alpha1`, kind: 'AdmissionConfiguration' },
      { apiVersion: `${group}/v1alpha1`, kind: 'AdmissionConfiguration' },
    ],
  };
  const { plugins } = (await decodeConfigurationFile(bytes, expected, warn)) as Infer<typeof configurationType>;
  return plugins ?? [];
}

interface AdmissionFile {
  readonly folder: string;
  readonly dialect: Dialect;
  readonly warn: WarnOfFile;
}

async function settingsOf(
  { name = '', path, configuration }: PluginEntry,
  { folder, dialect, warn }: AdmissionFile,
): Promise<Partial<PluginSettings>> {
  if (!builtInPlugins.some((plugin) => plugin.name === name)) throw new Error('there is no such plugin');
  if (configuration !== undefined && configuration !== null)
    return decodeSettings(name, Buffer.from(JSON.stringify(configuration)), dialect, warn);
  return path ? decodeSettings(name, readOptionFile(option, resolve(folder, path)), dialect, warn) : {};
}

/** Errors begin with the option, the file and the plugin. */
async function read<T>(place: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof OptionError) throw error;
    throw new OptionError(`${place}${(error as Error).message}`);
  }
}
