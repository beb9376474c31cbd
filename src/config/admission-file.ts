// The file of --admission-control-config-file: read once, with the files it names.

import { dirname, resolve } from 'node:path';
import { builtInPlugins } from '../admission/catalog.ts';
import type { PluginSettings } from '../admission/engines.ts';
import { decodeSettings, defaultSettings } from '../admission/plugin-settings.ts';
import { decodeConfigurationFile } from '../codec/configuration-file.ts';
import { apiGroup, type Dialect } from '../meta/dialect.ts';
import { anyJson, field, type Infer, listOf, string, struct } from '../schema/types.ts';
import type { AdmissionConfig } from './admission-options.ts';
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
): Promise<PluginSettings> {
  const { configFile, notReadyTolerationSeconds, unreachableTolerationSeconds } = config;
  const usual = { ...defaultSettings, notReadyTolerationSeconds, unreachableTolerationSeconds };
  const settings = configFile === undefined ? usual : { ...usual, ...(await readFile(configFile, dialect)) };
  if (config.plugins.has('EventRateLimit') && settings.eventLimits.length === 0)
    throw new OptionError(`enableAdmissionPlugins: EventRateLimit needs its limits in the file of ${option}`);
  const [plugin] = Object.keys(settings.manifestFolders);
  if (plugin !== undefined && !gates.ManifestBasedAdmissionControlConfig)
    throw new OptionError(`${option}: plugin ${JSON.stringify(plugin)}: ${needsGate}`);
  if (config.plugins.has('ImagePolicyWebhook') && settings.imagePolicy === undefined)
    throw new OptionError(`enableAdmissionPlugins: ImagePolicyWebhook needs its backend in the file of ${option}`);
  return settings;
}

const needsGate =
  'staticManifestsDir: Forbidden: staticManifestsDir requires the ManifestBasedAdmissionControlConfig feature gate to be enabled';

async function readFile(path: string, dialect: Dialect): Promise<Partial<PluginSettings>> {
  const entries = await read(path, '', async () => {
    const found = (await decodeConfigurationFile(readOptionFile(option, path), {
      group: apiGroup(dialect, 'apiserver.config'),
      versions: ['v1'],
      kind: 'AdmissionConfiguration',
      type: configurationType,
    })) as Infer<typeof configurationType>;
    return found.plugins ?? [];
  });
  const settings: Partial<PluginSettings>[] = [];
  for (const entry of entries) {
    const { name = '' } = entry;
    settings.push(
      await read(path, `plugin ${JSON.stringify(name)}: `, () => settingsOf(entry, dirname(path), dialect)),
    );
  }
  const users = settings.map((one) => one.webhookUsers);
  const webhookUsers = Object.assign({}, defaultSettings.webhookUsers, ...users) as PluginSettings['webhookUsers'];
  const manifestFolders = Object.assign({}, ...settings.map((one) => one.manifestFolders)) as object;
  return { ...(Object.assign({}, ...settings) as Partial<PluginSettings>), webhookUsers, manifestFolders };
}

async function settingsOf(entry: PluginEntry, folder: string, dialect: Dialect): Promise<Partial<PluginSettings>> {
  const { name = '', path, configuration } = entry;
  if (!builtInPlugins.some((plugin) => plugin.name === name)) throw new Error('there is no such plugin');
  if (configuration !== undefined && configuration !== null)
    return decodeSettings(name, Buffer.from(JSON.stringify(configuration)), dialect);
  return path ? decodeSettings(name, readOptionFile(option, resolve(folder, path)), dialect) : {};
}

/** Errors name the option, the file and the plugin. */
async function read<T>(path: string, what: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof OptionError) throw error;
    throw new OptionError(`${option}: ${path}: ${what}${(error as Error).message}`);
  }
}
