import { expect, test } from 'vitest';
import { encodeOpenApiV2 } from './v2-protobuf.ts';

test('extensions, defaults and choices are YAML', async () => {
  const schema = {
    type: 'string',
    default: { b: 1, a: 'x' },
    enum: ['a', '1'],
    'x-kubernetes-selectable-fields': [{ fieldPath: 'spec.a' }, { fieldPath: 'spec.b' }],
    'x-kubernetes-group-version-kind': { version: 'v1', kind: 'A', group: '' },
    'x-kubernetes-list-type': 'map',
  };
  const document = { swagger: '2.0', info: { title: 'T', version: 'v1' }, paths: {}, definitions: { A: schema } };
  const text = Buffer.concat(await encodeOpenApiV2(document)).toString('latin1');
  for (const part of [
    'a: x\nb: 1\n',
    '"1"\n',
    '- fieldPath: spec.a\n- fieldPath: spec.b\n',
    'group: ""\nkind: A\nversion: v1\n',
    'map\n',
  ])
    expect(text).toContain(part);
});
