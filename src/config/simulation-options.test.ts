import { describe, expect, test } from 'vitest';
import { resolveOptions } from './options.ts';
import { resolveSimulation } from './simulation-options.ts';

describe('simulate', () => {
  test.each([
    ['nothing', [], { workloads: false, nodes: 0, rules: [], programs: {} }],
    ['workloads', ['workloads'], { workloads: true, nodes: 0, rules: [], programs: {} }],
    ['one node', ['nodes'], { workloads: false, nodes: 1, rules: [], programs: {} }],
    ['a number of nodes', ['workloads', 'nodes=12'], { workloads: true, nodes: 12, rules: [], programs: {} }],
    ['the last number of nodes', ['nodes=3', 'nodes=0'], { workloads: false, nodes: 0, rules: [], programs: {} }],
  ])('selects %s', (_, simulate, config) => {
    expect(resolveSimulation({ simulate })).toEqual(config);
  });

  test.each(['pods', 'nodes=', 'nodes=-1', 'nodes=1.5', 'workloads=1', ''])('refuses %j', (part) => {
    expect(() => resolveSimulation({ simulate: [part] })).toThrow(/simulate: .* is not one of workloads, nodes/);
  });

  test('refuses more nodes than there may be', () => {
    expect(() => resolveSimulation({ simulate: ['nodes=30001'] })).toThrow('more than 30000 nodes');
  });

  test('adds its controllers to those that run by default, and to no others', () => {
    const selectionOf = (controllers: readonly string[]) =>
      resolveOptions({ controllers, simulate: ['nodes'] }).controllers.selection;
    const ofNodes = ['node-lifecycle-controller', 'taint-eviction-controller', 'simulated-nodes'];
    expect(selectionOf(['*', '-simulated-nodes'])).toEqual(['*', '-simulated-nodes', ...ofNodes]);
    expect(selectionOf(['namespace'])).toEqual(['namespace']);
  });
});
