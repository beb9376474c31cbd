// The default settings of plugins, and what a configuration file makes of them.

import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { JsonFields } from '../base/json/json-fields.ts';
import { emptyKubeconfig } from '../client/kubeconfig/kubeconfig.ts';
import { loadKubeconfig } from '../client/kubeconfig/load.ts';
import { parseYaml } from '../codec/body.ts';
import { decodeConfigurationFile, type WarnOfFile } from '../codec/configuration-file.ts';
import { toleration } from '../groups/core/v1/pod/affinity.ts';
import { apiGroup, type Dialect } from '../meta/dialect.ts';
import { field, type Infer, int32, listOf, string, struct } from '../schema/types.ts';
import {
  type EventLimit,
  eventLimitTypes,
  type ManifestPlugin,
  type PluginSettings,
  type WebhookPlugin,
} from './engines.ts';
import { readImagePolicy } from './plugins/image-policy-webhook/image-policy-settings.ts';
import {
  anything,
  isLevel,
  isVersion,
  type LevelVersion,
  levelProblem,
  type Mode,
  versionProblem,
} from './plugins/pod-security/policy.ts';

export const defaultSettings: Omit<PluginSettings, 'notReadyTolerationSeconds' | 'unreachableTolerationSeconds'> = {
  podSecurity: {
    defaults: { enforce: anything, audit: anything, warn: anything },
    exemptions: { usernames: new Set(), namespaces: new Set(), runtimeClasses: new Set() },
  },
  podNodeSelector: { clusterDefault: '', allowed: new Map() },
  podTolerations: { defaults: [], allowed: [] },
  eventLimits: [],
  limitedResources: [],
  locateVolume: undefined,
  imagePolicy: undefined,
  manifestFolders: {},
  webhookUsers: { MutatingAdmissionWebhook: emptyKubeconfig, ValidatingAdmissionWebhook: emptyKubeconfig },
};

type Decoder = (bytes: Uint8Array, dialect: Dialect, warn: WarnOfFile) => Promise<Partial<PluginSettings>>;

const home = 'config';

const text = (about: string) => field(1, string, { about });
const texts = (number: number, about: string) => field(number, listOf(string), { about });

const podSecurityDefaults = struct(home, 'PodSecurityDefaults', 'Levels of namespaces that do not say.', {
  enforce: text('Level that pods must have.'),
  'enforce-version': field(2, string, { about: 'Release whose standards count.' }),
  audit: field(3, string, { about: 'Level below which pods are noted.' }),
  'audit-version': field(4, string, { about: 'Release whose standards count.' }),
  warn: field(5, string, { about: 'Level below which users are warned.' }),
  'warn-version': field(6, string, { about: 'Release whose standards count.' }),
});

const podSecurityConfiguration = struct(home, 'PodSecurityConfiguration', 'How pods are held to standards.', {
  defaults: field(1, podSecurityDefaults, { about: 'Levels of namespaces that do not say.' }),
  exemptions: field(
    2,
    struct(home, 'PodSecurityExemptions', 'Who and what is not looked at.', {
      usernames: texts(1, 'Users.'),
      namespaces: texts(2, 'Namespaces.'),
      runtimeClasses: texts(3, 'Runtime classes.'),
    }),
    { about: 'Who and what is not looked at.' },
  ),
});

const podSecurity: Decoder = async (bytes, dialect) => {
  const found = (await decodeConfigurationFile(bytes, {
    group: apiGroup(dialect, 'pod-security.admission.config'),
    versions: ['v1', 'v1beta1', 'v1alpha1'],
    kind: 'PodSecurityConfiguration',
    type: podSecurityConfiguration,
  })) as Infer<typeof podSecurityConfiguration>;
  const { defaults = {}, exemptions = {} } = found;
  const read = (mode: Mode): LevelVersion => {
    const level = defaults[mode] || 'privileged';
    const version = defaults[`${mode}-version`] || 'latest';
    if (!isLevel(level)) throw new Error(`defaults.${mode}: ${JSON.stringify(level)} ${levelProblem}`);
    if (!isVersion(version)) throw new Error(`defaults.${mode}-version: ${JSON.stringify(version)} ${versionProblem}`);
    return { level, version };
  };
  return {
    podSecurity: {
      defaults: { enforce: read('enforce'), audit: read('audit'), warn: read('warn') },
      exemptions: {
        usernames: new Set(exemptions.usernames),
        namespaces: new Set(exemptions.namespaces),
        runtimeClasses: new Set(exemptions.runtimeClasses),
      },
    },
  };
};

/** The file has its own form: a map, of which one key is no namespace. */
const podNodeSelector: Decoder = async (bytes) => {
  const root = JsonFields.of((await parseYaml(bytes)).value, '');
  const fields = root.object('podNodeSelectorPluginConfig');
  if (fields === undefined) return {};
  const special = 'clusterDefaultNodeSelector';
  const allowed = new Map(fields.names.filter((name) => name !== special).map((name) => [name, fields.text(name)]));
  return { podNodeSelector: { clusterDefault: fields.text(special), allowed } };
};

const tolerationConfiguration = struct(home, 'Configuration', 'What pods tolerate.', {
  default: field(1, listOf(toleration), { about: 'What pods of namespaces that do not say tolerate besides.' }),
  whitelist: field(2, listOf(toleration), { about: 'All that pods of such namespaces may tolerate.' }),
});

const podTolerations: Decoder = async (bytes, dialect) => {
  const found = (await decodeConfigurationFile(bytes, {
    group: apiGroup(dialect, 'podtolerationrestriction.admission'),
    versions: ['v1alpha1'],
    kind: 'Configuration',
    type: tolerationConfiguration,
  })) as Infer<typeof tolerationConfiguration>;
  return { podTolerations: { defaults: found.default ?? [], allowed: found.whitelist ?? [] } };
};

const limit = struct(home, 'Limit', 'How many events of one kind are taken.', {
  type: text('Which events share a bucket.'),
  qps: field(2, int32, { about: 'Events a second.' }),
  burst: field(3, int32, { about: 'Events at once.' }),
  cacheSize: field(4, int32, { about: 'Buckets that are remembered.' }),
});

const limitConfiguration = struct(home, 'Configuration', 'How many events are taken.', {
  limits: field(1, listOf(limit), { about: 'All limits.' }),
});

/** Buckets that are remembered by default. */
const usualBuckets = 4096;

const eventLimits: Decoder = async (bytes, dialect) => {
  const { limits = [] } = (await decodeConfigurationFile(bytes, {
    group: apiGroup(dialect, 'eventratelimit.admission'),
    versions: ['v1alpha1'],
    kind: 'Configuration',
    type: limitConfiguration,
  })) as Infer<typeof limitConfiguration>;
  if (limits.length === 0) throw new Error('limits: must not be empty');
  return { eventLimits: limits.map(readLimit) };
};

function readLimit(given: Infer<typeof limit>, index: number): EventLimit {
  const { qps = 0, burst = 0, cacheSize = 0 } = given;
  const type = eventLimitTypes.find((one) => one === given.type);
  const at = `limits[${index}]`;
  if (type === undefined)
    throw new Error(`${at}.type: ${JSON.stringify(given.type)} is none of ${eventLimitTypes.join(', ')}`);
  for (const [name, value] of Object.entries({ qps, burst }))
    if (value <= 0) throw new Error(`${at}.${name}: must be positive`);
  if (cacheSize < 0) throw new Error(`${at}.cacheSize: must not be negative`);
  return { type, qps, burst, cacheSize: cacheSize || usualBuckets };
}

const quotaConfiguration = struct(home, 'ResourceQuotaConfiguration', 'What needs a quota.', {
  limitedResources: field(
    1,
    listOf(
      struct(home, 'LimitedResource', 'What a namespace gets only with a quota for it.', {
        apiGroup: text('The group of the resource.'),
        resource: field(2, string, { about: 'The resource.' }),
        matchContains: texts(3, 'Parts of names of amounts.'),
      }),
    ),
    { about: 'Everything that needs a quota.' },
  ),
});

const limitedResources: Decoder = async (bytes, dialect, warn) => {
  const expected = {
    group: apiGroup(dialect, 'apiserver.config'),
    versions: ['v1'],
    kind: 'ResourceQuotaConfiguration',
    type: quotaConfiguration,
    olderNames: ['v1beta1', 'v1alpha1'].map((version) => ({
      apiVersion: `${apiGroup(dialect, 'resourcequota.admission')}/${version}`,
      kind: 'Configuration',
    })),
  };
  const found = (await decodeConfigurationFile(bytes, expected, warn)) as Infer<typeof quotaConfiguration>;
  return {
    limitedResources: (found.limitedResources ?? []).map((one) => ({
      apiGroup: one.apiGroup ?? '',
      resource: one.resource ?? '',
      matchContains: one.matchContains ?? [],
    })),
  };
};

const webhookConfiguration = struct(home, 'WebhookAdmissionConfiguration', 'As what webhooks are called.', {
  kubeConfigFile: text('Kubeconfig whose users are named after hosts of webhooks.'),
  clientConfigFile: field(2, string, { about: 'The same under its other name.' }),
  staticManifestsDir: manifestsField(3),
});

const policyConfiguration = (plugin: ManifestPlugin) =>
  struct(home, `${plugin}Configuration`, 'Where policies in files are.', { staticManifestsDir: manifestsField(1) });

function manifestsField(number: number) {
  return field(number, string, { about: 'Folder of objects in files.' });
}

/** Throws where there is no such folder. */
function folderOf(plugin: ManifestPlugin, folder: string | undefined): Pick<PluginSettings, 'manifestFolders'> {
  if (!folder) return { manifestFolders: {} };
  const no = (why: string) => new Error(`staticManifestsDir: Invalid value: ${JSON.stringify(folder)}: ${why}`);
  if (!isAbsolute(folder)) throw no('must be an absolute file path');
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) throw no('unable to read: no such file or directory');
  if (!found.isDirectory()) throw no('must be a directory');
  return { manifestFolders: { [plugin]: folder } };
}

const policyManifests =
  (plugin: ManifestPlugin): Decoder =>
  async (bytes, dialect) => {
    const found = (await decodeConfigurationFile(bytes, {
      group: apiGroup(dialect, 'apiserver.config'),
      versions: ['v1'],
      kind: `${plugin}Configuration`,
      type: policyConfiguration(plugin),
    })) as Infer<ReturnType<typeof policyConfiguration>>;
    return folderOf(plugin, found.staticManifestsDir);
  };

const webhookUsers =
  (plugin: WebhookPlugin): Decoder =>
  async (bytes, dialect, warn) => {
    const expected = {
      group: apiGroup(dialect, 'apiserver.config'),
      versions: ['v1'],
      kind: 'WebhookAdmissionConfiguration',
      type: webhookConfiguration,
      olderNames: ['apiserver', 'apiserver.config'].map((group) => ({
        apiVersion: `${apiGroup(dialect, group)}/v1alpha1`,
        kind: 'WebhookAdmission',
      })),
    };
    const found = (await decodeConfigurationFile(bytes, expected, warn)) as Infer<typeof webhookConfiguration>;
    const file = found.kubeConfigFile || found.clientConfigFile;
    if (file && !isAbsolute(file))
      throw new Error(`kubeConfigFile: Invalid value: ${JSON.stringify(file)}: must be an absolute file path`);
    const folder = folderOf(plugin, found.staticManifestsDir);
    if (!file) return folder;
    return { ...folder, webhookUsers: { [plugin]: await loadKubeconfig({ file }) } as PluginSettings['webhookUsers'] };
  };

/** Plugins that can be set up, by name. */
const decoders: Readonly<Record<string, Decoder>> = {
  PodSecurity: podSecurity,
  PodNodeSelector: podNodeSelector,
  PodTolerationRestriction: podTolerations,
  EventRateLimit: eventLimits,
  ResourceQuota: limitedResources,
  ImagePolicyWebhook: async (bytes) => ({ imagePolicy: await readImagePolicy(bytes) }),
  MutatingAdmissionPolicy: policyManifests('MutatingAdmissionPolicy'),
  ValidatingAdmissionPolicy: policyManifests('ValidatingAdmissionPolicy'),
  MutatingAdmissionWebhook: webhookUsers('MutatingAdmissionWebhook'),
  ValidatingAdmissionWebhook: webhookUsers('ValidatingAdmissionWebhook'),
};

/** What the configuration of one plugin says; throws an error in words. */
export async function decodeSettings(
  plugin: string,
  bytes: Uint8Array,
  dialect: Dialect,
  warn: WarnOfFile,
): Promise<Partial<PluginSettings>> {
  const decode = Object.hasOwn(decoders, plugin) ? decoders[plugin] : undefined;
  if (decode === undefined) throw new Error('has no configuration here');
  return decode(bytes, dialect, warn);
}
