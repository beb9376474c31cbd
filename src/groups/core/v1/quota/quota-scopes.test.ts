import { expect, test } from 'vitest';
import { isClaimInScope, isPodInScope } from './quota-scopes.ts';

const object = (spec: object, status: object = {}) => ({ kind: 'X', apiVersion: 'v1', metadata: {}, spec, status });
const scope = (scopeName: string) => ({ scopeName, operator: 'Exists' });
const priority = (operator: string, values: string[] = []) => ({ scopeName: 'PriorityClass', operator, values });
const asks = (cpu: string) => ({ name: 'c', resources: { requests: { cpu } } });
const near = (term: object) => ({
  affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', ...term }] } },
});
const awayIfPossible = (podAffinityTerm: object) => ({
  affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm }] } },
});

test.each([
  [scope('Terminating'), { activeDeadlineSeconds: 5 }, true],
  [scope('NotTerminating'), { activeDeadlineSeconds: 5 }, false],
  [scope('NotTerminating'), {}, true],
  [scope('BestEffort'), { containers: [{}] }, true],
  [scope('BestEffort'), { containers: [asks('0')] }, true],
  [scope('BestEffort'), { containers: [asks('1')] }, false],
  [scope('NotBestEffort'), { containers: [asks('1')] }, true],
  [priority('In', ['high']), { priorityClassName: 'high' }, true],
  [priority('In', ['high']), {}, false],
  [priority('NotIn', ['high']), { priorityClassName: 'high' }, false],
  [priority('NotIn', ['high']), {}, true],
  [priority('Exists'), {}, false],
  [priority('DoesNotExist'), {}, true],
  [scope('CrossNamespacePodAffinity'), near({ namespaces: ['other'] }), true],
  [scope('CrossNamespacePodAffinity'), awayIfPossible({ namespaceSelector: {} }), true],
  [scope('CrossNamespacePodAffinity'), near({ labelSelector: { matchLabels: { namespaces: 'x' } } }), false],
  [scope('VolumeAttributesClass'), {}, false],
])('scope %j of pods holds for %j: %s', (requirement, spec, expected) => {
  expect(isPodInScope(object(spec), requirement)).toBe(expected);
});

const attributes = (operator: string, values: string[] = []) => ({
  scopeName: 'VolumeAttributesClass',
  operator,
  values,
});
const gold = { volumeAttributesClassName: 'gold' };

test.each([
  [attributes('Exists'), gold, {}, true],
  [attributes('Exists'), {}, { currentVolumeAttributesClassName: 'gold' }, true],
  [attributes('In', ['silver']), gold, { modifyVolumeStatus: { targetVolumeAttributesClassName: 'silver' } }, true],
  [attributes('In', ['silver']), gold, {}, false],
  [attributes('NotIn', ['gold']), gold, {}, false],
  [attributes('DoesNotExist'), {}, {}, true],
  [scope('BestEffort'), gold, {}, false],
])('scope %j of claims holds for %j, %j: %s', (requirement, spec, status, expected) => {
  expect(isClaimInScope(object(spec, status), requirement)).toBe(expected);
});
