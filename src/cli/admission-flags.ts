// Flags about admission plugins.

import { builtInPlugins } from '../admission/catalog.ts';
import { flag, inGroup } from './flag.ts';
import { integer, textOrNone, texts } from './flag-values.ts';

export const admissionFlags = inGroup('Admission', [
  flag({
    name: 'enable-admission-plugins',
    option: 'enableAdmissionPlugins',
    type: texts,
    help: `Admission plugins to run besides those that are on by default, in any order: ${pluginNames(false)}.`,
  }),
  flag({
    name: 'disable-admission-plugins',
    option: 'disableAdmissionPlugins',
    type: texts,
    help: `Admission plugins not to run; on by default are ${pluginNames(true)}.`,
  }),
  flag({
    name: 'admission-control',
    option: 'admissionControl',
    type: texts,
    help: 'Exactly the admission plugins to run; not together with the other two flags.',
    deprecated: 'use --enable-admission-plugins and --disable-admission-plugins',
  }),
  flag({
    name: 'admission-control-config-file',
    option: 'admissionControlConfigFile',
    type: textOrNone,
    help: 'AdmissionConfiguration file: how admission plugins are set up, inline or in files of their own.',
  }),
  flag({
    name: 'cloud-config',
    option: 'cloudConfigFile',
    type: textOrNone,
    help: 'File with the zones and region of cloud disks, for PersistentVolumeLabel.',
  }),
  flag({
    name: 'default-not-ready-toleration-seconds',
    option: 'defaultNotReadyTolerationSeconds',
    type: integer(-(2 ** 31), 2 ** 31 - 1),
    default: '300',
    help: 'Seconds after which pods without such a toleration of their own leave a node that is not ready.',
  }),
  flag({
    name: 'default-unreachable-toleration-seconds',
    option: 'defaultUnreachableTolerationSeconds',
    type: integer(-(2 ** 31), 2 ** 31 - 1),
    default: '300',
    help: 'Seconds after which pods without such a toleration of their own leave a node that cannot be reached.',
  }),
]);

function pluginNames(isOn: boolean): string {
  const matchingPlugins = builtInPlugins.filter((plugin) => plugin.isOn === isOn);
  return matchingPlugins.map(({ name }) => name).join(', ');
}
