import { expect, test } from 'vitest';
import { WorkMeter } from './work-meter.ts';

test('reports long work once', () => {
  let reports = 0;
  const meter = new WorkMeter(() => reports++);
  meter.add(meter.left);
  expect(reports).toBe(0);
  meter.add(1);
  meter.add(1e9);
  expect([reports, meter.left]).toEqual([1, Number.POSITIVE_INFINITY]);
});

test('work ends where the report throws', () => {
  const meter = new WorkMeter(() => {
    throw new Error('moved');
  });
  expect(() => meter.add(1e9)).toThrow('moved');
});
