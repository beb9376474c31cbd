import { describe, expect, test } from 'vitest';
import { revision } from '../../meta/revision.ts';
import { CacheListeners } from './cache-listeners.ts';

const change = (at: number) => ({ key: `k${at}`, revision: revision(at), current: 'new', previous: 'old' });

describe('listeners of values', () => {
  test('are notified of changes from and to their value only', () => {
    const listeners = new CacheListeners<string, string>();
    listeners.add('all');
    listeners.add('a', { index: 'node', values: ['a'] });
    listeners.add('b', { index: 'node', values: ['b', 'any'] });
    const [moved, other] = [change(1), change(2)];
    for (const value of ['a', 'b']) listeners.concern(moved, 'node', value);
    listeners.concern(other, 'node', 'any');
    listeners.concern(other, 'node', 'c');
    listeners.concern(other, 'zone', 'a');
    expect([...listeners.takeDue()]).toEqual([
      ['a', [moved]],
      ['b', [moved, other]],
    ]);
    expect([...listeners.takeDue()]).toEqual([]);
    expect([...listeners.all]).toEqual(['all']);
  });

  test('get a change once, though both of its values are theirs', () => {
    const listeners = new CacheListeners<string, string>();
    listeners.add('a', { index: 'node', values: ['a', 'b'] });
    const moved = change(1);
    for (const value of ['a', 'b']) listeners.concern(moved, 'node', value);
    expect([...listeners.takeDue()]).toEqual([['a', [moved]]]);
  });

  test('leave nothing behind', () => {
    const listeners = new CacheListeners<string, string>();
    const only = { index: 'node', values: ['a'] };
    listeners.add('one', only);
    listeners.add('two', only);
    listeners.delete('one', only);
    listeners.drop('two');
    listeners.add('three', only);
    expect(listeners.takeAll()).toEqual(['three']);
    listeners.concern(change(1), 'node', 'a');
    expect([...listeners.takeDue()]).toEqual([]);
  });
});
