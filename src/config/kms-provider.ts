// Providers of an EncryptionConfiguration whose keys come from a plugin.

import { formatDuration, parseDuration } from '../meta/duration.ts';
import { invalidAt, invalidValue, required } from '../meta/field-errors.ts';
import type { FieldError } from '../meta/status.ts';
import { field, type Infer, int32, string, struct } from '../schema/types.ts';
import type { PluginSettings } from '../storage/encryption/kms/plugin-settings.ts';

export const kmsType = struct('config', 'EncryptionPlugin', 'Keys of a plugin.', {
  apiVersion: field(1, string, { about: 'Version of the plugin API; v2.' }),
  name: field(2, string, { about: 'Stands before each value that is encrypted with a key of the plugin.' }),
  cachesize: field(3, int32, { about: 'Of version 1 of the API.', pointer: true }),
  endpoint: field(4, string, { about: 'Socket of the plugin, such as unix:///run/plugin.sock.' }),
  timeout: field(5, string, { about: 'How long a call may take; 3s when not given.' }),
});

type KmsProvider = Infer<typeof kmsType>;

const usualTimeout = '3s';
const usualVersion = 'v1';

/** `names` are those of the plugins before this one. */
export function checkKms(provider: KmsProvider, at: string, names: Set<string>): readonly FieldError[] {
  const { apiVersion = usualVersion, name = '', cachesize } = provider;
  const isTwice = names.has(name);
  names.add(name);
  return [
    ...(name === '' ? [required(`${at}.name`, 'name is a mandatory field for a provider')] : []),
    ...(apiVersion !== 'v1' && name.includes(':')
      ? [invalidValue(`${at}.name`, name, `invalid KMS provider name ${name}, must not contain ':'`)]
      : []),
    ...(isTwice ? [invalidValue(`${at}.name`, name, `duplicate KMS provider name ${name}, names must be unique`)] : []),
    ...checkTimeout(provider, at),
    ...checkEndpoint(provider, at),
    ...(apiVersion !== 'v1' && cachesize !== undefined
      ? [invalidValue(`${at}.cachesize`, cachesize, 'cachesize is not supported in v2')]
      : []),
    ...checkVersion(apiVersion, at),
  ];
}

function checkTimeout({ timeout = usualTimeout }: KmsProvider, at: string): readonly FieldError[] {
  const seconds = parseDuration(timeout);
  if (seconds === undefined) return [invalidValue(`${at}.timeout`, timeout, 'timeout is no length of time')];
  return seconds > 0
    ? []
    : [invalidValue(`${at}.timeout`, formatDuration(seconds), 'timeout should be a positive value')];
}

function checkEndpoint({ endpoint = '' }: KmsProvider, at: string): readonly FieldError[] {
  const where = `${at}.endpoint`;
  if (endpoint === '') return [invalidValue(where, '', 'endpoint is a mandatory field for a kms')];
  const [, scheme = ''] = /^([A-Za-z][-+.A-Za-z0-9]*):/.exec(endpoint) ?? [];
  if (scheme.toLowerCase() !== 'unix')
    return [
      invalidValue(
        where,
        endpoint,
        `unsupported scheme ${JSON.stringify(scheme)} for KMS provider, only unix is supported`,
      ),
    ];
  const path = socketOf(endpoint);
  if (path.startsWith('/@')) return [invalidValue(where, endpoint, 'sockets without a file are not supported')];
  return path.startsWith('/') ? [] : [invalidValue(where, endpoint, 'the path of the socket has to be absolute')];
}

function checkVersion(apiVersion: string, at: string): readonly FieldError[] {
  if (apiVersion === 'v2') return [];
  if (apiVersion === 'v1') return [invalidAt(`${at}.apiVersion`, olderVersion)];
  return [
    invalidValue(
      `${at}.apiVersion`,
      apiVersion,
      'unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported',
    ),
  ];
}

const olderVersion =
  'KMSv1 is deprecated and not available here, with or without its feature gate; use apiVersion: v2 and a plugin for it';

const socketOf = (endpoint: string) => endpoint.replace(/^unix:(?:\/\/)?/i, '');

/** Of a provider without errors. */
export function pluginOf({ name = '', endpoint = '', timeout = usualTimeout }: KmsProvider): PluginSettings {
  return { name, socket: socketOf(endpoint), timeoutMs: (parseDuration(timeout) as number) * 1000 };
}
