import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StoredObject } from '../../registry/stored-object.ts';
import { piecesOf } from './gzip-list.ts';

const object = (index: number, size: number) =>
  ({ key: `/registry/pods/default/web-${String(index).padStart(5, '0')}`, size }) as StoredObject;

const bytesOf = (objects: readonly StoredObject[]) => objects.reduce((sum, { size }) => sum + size, 0);

describe('pieces of a list', () => {
  test('hold all objects in their order, as many as a piece may', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 300_000 }), { maxLength: 100 }), (sizes) => {
        const objects = sizes.map((size, index) => object(index, size));
        const pieces = piecesOf(objects);
        expect(pieces.flat()).toEqual(objects);
        for (const piece of pieces) expect(bytesOf(piece.slice(0, -1))).toBeLessThan(256 * 1024);
        for (const piece of pieces.slice(0, -1)) expect(bytesOf(piece)).toBeGreaterThanOrEqual(32 * 1024);
      }),
    );
  });

  test('stay the same but for a few when an object comes or goes', () => {
    const objects = Array.from({ length: 2000 }, (_, index) => object(index, 5000));
    const namesOf = (some: readonly StoredObject[]) =>
      piecesOf(some).map((piece) => piece.map(({ key }) => key).join());
    const before = new Set(namesOf(objects));
    for (const index of [0, 7, 777, 1500, 1999]) {
      const changed = namesOf(objects.toSpliced(index, 1)).filter((piece) => !before.has(piece));
      expect(changed.length).toBeLessThan(20);
    }
    expect(before.size).toBeGreaterThan(80);
  });
});
