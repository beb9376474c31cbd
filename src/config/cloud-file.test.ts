// The file of --cloud-config.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type CloudDisk, cloudDiskOf } from '../admission/plugins/volume-places.ts';
import { openCloudFile } from './cloud-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'keelson-cloud-'));
afterAll(() => rmSync(folder, { recursive: true }));

function open(content: unknown): ReturnType<typeof openCloudFile> {
  const file = join(folder, 'cloud.yaml');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return openCloudFile(file);
}

const signal = new AbortController().signal;
const diskOf = (spec: object) =>
  cloudDiskOf({ kind: 'PersistentVolume', apiVersion: 'v1', metadata: { name: 'v' }, spec } as never) as CloudDisk;

test('disks are found by each of their names, or by their source alone', async () => {
  const locate = await open({
    volumes: [
      { source: 'awsElasticBlockStore', ids: ['vol-1', 'vol-2'], zones: ['us-east-1a'] },
      { source: 'gcePersistentDisk', ids: ['d'], zones: ['a-1', 'a-2'], region: 'a' },
      { source: 'azureDisk', ids: ['/subscriptions/s/d'], region: 'westeurope' },
      { source: 'vsphereVolume', ids: ['[fast]'], zones: ['rack-1'], region: 'here' },
      { source: 'cinder', zones: ['nova'] },
    ],
  });
  const located = (spec: object) => locate(diskOf(spec), signal);
  const aws = (volumeID: string) => located({ awsElasticBlockStore: { volumeID } });
  expect([aws('vol-1'), aws('aws:///vol-2'), aws('aws://x/vol-1')]).toEqual(Array(3).fill({ zones: ['us-east-1a'] }));
  expect(aws('vol-3')).toBeUndefined();
  const zones = { zones: ['a-1', 'a-2'], region: 'a' };
  expect(located({ gcePersistentDisk: { pdName: 'projects/p/zones/z/disks/d' } })).toEqual(zones);
  expect(located({ azureDisk: { diskName: 'd', diskURI: '/subscriptions/s/d' } })).toEqual({ region: 'westeurope' });
  const datastore = { zones: ['rack-1'], region: 'here' };
  expect(located({ vsphereVolume: { volumePath: '[fast] folder/v.vmdk' } })).toEqual(datastore);
  expect(located({ cinder: { volumeID: 'any' } })).toEqual({ zones: ['nova'] });
});

const aws = { source: 'awsElasticBlockStore', zones: ['z'] };
test.each<[unknown, string]>([
  ['[Global]\nZone = us-east-1a\n', 'cloud.yaml: '],
  [{}, 'volumes: must be a list of places'],
  [{ volume: [] }, 'volume: unknown field, use volumes'],
  [
    { volumes: [{ ...aws, source: 'disk' }] },
    'volumes[0].source: must be one of awsElasticBlockStore, gcePersistentDisk',
  ],
  [{ volumes: [{ source: 'cinder' }] }, 'volumes[0]: needs zones or a region'],
  [{ volumes: [{ ...aws, zones: ['a__b'] }] }, 'volumes[0].zones: "a__b" is no name of a zone'],
  [{ volumes: [{ ...aws, ids: 'vol-1' }] }, 'volumes[0].ids: must be a list'],
  [{ volumes: [{ ...aws, name: 'vol-1' }] }, 'volumes[0].name: unknown field'],
  [{ volumes: [aws, aws] }, 'volumes[1]: a second entry for all disks of awsElasticBlockStore'],
  [{ volumes: [{ ...aws, ids: ['a', 'a'] }] }, 'volumes[0].ids: "a" is listed twice'],
])('%j is refused: %s', async (content, why) => {
  await expect(open(content)).rejects.toThrow(/^cloudConfigFile: /);
  await expect(open(content)).rejects.toThrow(why);
});

test('a file that does not exist is named', async () => {
  await expect(openCloudFile(join(folder, 'none'))).rejects.toThrow(/^cloudConfigFile: ENOENT/);
});
