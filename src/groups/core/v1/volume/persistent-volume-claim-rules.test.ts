import { describe, expect, test } from 'vitest';
import { kubernetes } from '../../../../meta/dialect.ts';
import { validateClaimUpdate } from './persistent-volume-claim-rules.ts';
import type { PersistentVolumeClaim } from './persistent-volume-claim-type.ts';

const spec = { accessModes: ['ReadWriteOnce'], volumeName: 'v', resources: { requests: { storage: '1Gi' } } };

function claim(name: string | undefined, current: string | undefined): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'a' },
    spec: { ...spec, ...(name === undefined ? {} : { volumeAttributesClassName: name }) },
    status: { phase: 'Bound', ...(current === undefined ? {} : { currentVolumeAttributesClassName: current }) },
  };
}

describe('the class of attributes of a bound claim', () => {
  test.each([
    [undefined, 'fast', 'update to nil is forbidden when status.currentVolumeAttributesClassName is not nil'],
    ['', 'fast', 'update to empty string is forbidden when status.currentVolumeAttributesClassName is not nil'],
    ['slow', 'fast', undefined],
    [undefined, undefined, undefined],
    ['', undefined, undefined],
  ])('becomes %s while %s is in force', (name, current, why) => {
    const errors = validateClaimUpdate(claim(name, current), claim('fast', current), kubernetes);
    const expected = why === undefined ? [] : [['spec.volumeAttributesClassName', `Forbidden: ${why}`]];
    expect(errors.map(({ field, message }) => [field, message])).toEqual(expected);
  });
});
