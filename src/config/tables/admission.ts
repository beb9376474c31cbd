// Options of admission plugins.

import { builtInPlugins } from '../../admission/catalog.ts';
import type { LocateVolume } from '../../admission/plugins/volume-places.ts';
import { option } from '../option.ts';
import { wholeSeconds } from '../option-checks.ts';
import { callback, integer, textOrNone, texts } from '../value-types.ts';

export const admissionOptions = {
  enableAdmissionPlugins: option({
    type: texts,
    flag: 'enable-admission-plugins',
    help: `Admission plugins to run besides those that are on by default, in any order: ${pluginNames(false)}.`,
  }),
  disableAdmissionPlugins: option({
    type: texts,
    flag: 'disable-admission-plugins',
    help: `Admission plugins not to run; on by default are ${pluginNames(true)}.`,
  }),
  admissionControl: option({
    type: texts,
    flag: 'admission-control',
    help: 'Exactly the admission plugins to run; not together with the other two flags.',
    deprecated: 'use --enable-admission-plugins and --disable-admission-plugins',
  }),
  admissionControlConfigFile: option({
    type: textOrNone,
    flag: 'admission-control-config-file',
    help: 'AdmissionConfiguration file: how admission plugins are set up, inline or in their own files.',
  }),
  cloudConfigFile: option({
    type: textOrNone,
    flag: 'cloud-config',
    help: 'File with the zones and region of cloud disks, for PersistentVolumeLabel.',
  }),
  locateVolume: option({
    type: callback<LocateVolume>('LocateVolume', '../admission/plugins/volume-places.ts'),
    help: 'Finds where the disk of a volume is, for PersistentVolumeLabel; called before the file of --cloud-config is read.',
  }),
  defaultNotReadyTolerationSeconds: option({
    type: integer(-(2 ** 31), 2 ** 31 - 1),
    flag: 'default-not-ready-toleration-seconds',
    default: '300',
    help: 'Seconds after which pods without such a toleration of their own leave a node that is not ready.',
    check: wholeSeconds,
  }),
  defaultUnreachableTolerationSeconds: option({
    type: integer(-(2 ** 31), 2 ** 31 - 1),
    flag: 'default-unreachable-toleration-seconds',
    default: '300',
    help: 'Seconds after which pods without such a toleration of their own leave a node that cannot be reached.',
    check: wholeSeconds,
  }),
};

function pluginNames(isOn: boolean): string {
  const matchingPlugins = builtInPlugins.filter((plugin) => plugin.isOn === isOn);
  return matchingPlugins.map(({ name }) => name).join(', ');
}
