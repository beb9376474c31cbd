import { expect, test } from 'vitest';
import type { JsonValue } from '../../base/json/json.ts';
import { configMap } from '../../groups/core/v1/config-map.ts';
import { applyJsonPatch } from '../../patch/json-patch.ts';
import { applyMergePatch } from '../../patch/merge-patch.ts';
import { patchedText } from './patched-text.ts';

const live = {
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'a', namespace: 'n', labels: { z: '1', b: '2' }, managedFields: [{ manager: 'm' }] },
  data: { z: '1', b: '<' },
};

function text(form: 'json' | 'merge' | 'strategic', patch: JsonValue, result: JsonValue): string {
  return patchedText({ live, result, type: configMap.type }, { form, value: patch });
}

test('members on the way of a merge patch are sorted, others stay as they are', () => {
  const patch = { metadata: { labels: { c: '3' } }, odd: { y: 1, x: [{ b: 1, a: 2 }] } };
  expect(text('merge', patch, applyMergePatch(live as unknown as JsonValue, patch))).toBe(
    '{"apiVersion":"v1","data":{"z":"1","b":"\\u003c"},"kind":"ConfigMap",' +
      '"metadata":{"labels":{"b":"2","c":"3","z":"1"},"managedFields":[{"manager":"m"}],"name":"a","namespace":"n"},' +
      '"odd":{"x":[{"a":2,"b":1}],"y":1}}',
  );
});

test('members on the way of a JSON patch are sorted, what it brings stays as it is', () => {
  const patch = [{ op: 'add', path: '/data/odd', value: { y: 1, x: 2 } }];
  expect(text('json', patch, applyJsonPatch(live as unknown as JsonValue, patch))).toBe(
    '{"apiVersion":"v1","data":{"b":"\\u003c","odd":{"y":1,"x":2},"z":"1"},"kind":"ConfigMap",' +
      '"metadata":{"name":"a","namespace":"n","labels":{"z":"1","b":"2"},"managedFields":[{"manager":"m"}]}}',
  );
});

test('a strategic merge patch is shown itself', () => {
  expect(text('strategic', { data: { b: 1, a: null } }, {})).toBe('map[data:map[a:<nil> b:1]]');
});
