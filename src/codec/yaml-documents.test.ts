// Places of fields in YAML texts.

import { describe, expect, test } from 'vitest';
import { readYamlDocuments } from './yaml-documents.ts';

const text = `# a comment
kind: Deployment
metadata:
  labels: &labels {app.kubernetes.io/name: web}
spec:
  template:
    metadata: {labels: *labels}
    containers:
      - name: web
        ports:
          - containerPort: 80
          - {containerPort: 81}
---
kind: Other
`;

describe('the place of a field', () => {
  test.each([
    ['', { line: 2, column: 1 }],
    ['kind', { line: 2, column: 1 }],
    ['spec.template.containers[0].ports[1].containerPort', { line: 12, column: 14 }],
    ['spec.template.containers[0].ports[0]', { line: 11, column: 13 }],
    ['metadata.labels[app.kubernetes.io/name]', { line: 4, column: 20 }],
    ['metadata.labels.app.kubernetes.io/name', { line: 4, column: 20 }],
    ['spec.template.metadata.labels[app.kubernetes.io/name]', { line: 4, column: 20 }],
    ['spec.template.containers[0].image', { line: 9, column: 9 }],
    ['spec.template.containers[7].image', { line: 8, column: 5 }],
    ['spec.absent.deeper', { line: 5, column: 1 }],
  ])('is that of %j, or of the nearest field around it', async (path, place) => {
    const { documents } = await readYamlDocuments(text);
    expect(documents[0]?.text.find(path)).toEqual(place);
  });

  test('is counted from the beginning of the file in later documents', async () => {
    const { documents } = await readYamlDocuments(text);
    expect(documents[1]?.text.find('kind')).toEqual({ line: 14, column: 1 });
  });

  test('is found in JSON', async () => {
    const { documents } = await readYamlDocuments('{\n\t"spec": {"replicas": "a"}\n}');
    expect(documents[0]?.text.find('spec.replicas')).toEqual({ line: 2, column: 11 });
  });
});

describe('values', () => {
  test('are read as the server reads bodies', async () => {
    const { documents } = await readYamlDocuments(
      'on: yes\nmode: 0644\nlarge: 12345678901234567890\n__proto__: {a: 1}',
    );
    expect(documents[0]?.value).toMatchObject({ mode: 420, large: 12345678901234567890n });
    expect(Object.keys(documents[0]?.value as object)).toContain('__proto__');
  });

  test('keys that repeat are reported with their line', async () => {
    const { documents } = await readYamlDocuments('a: 1\nb: 2\na: 3\n');
    expect(documents[0]?.repeated).toEqual([{ key: 'a', line: 3 }]);
  });

  test('documents before a fault are read, and the fault has a place', async () => {
    const { documents, fault } = await readYamlDocuments('a: 1\n---\nb: [1\nc: 2\n');
    expect(documents).toHaveLength(1);
    expect(fault?.position.line).toBeGreaterThan(2);
  });

  test('too many aliases are a fault', async () => {
    const levels = Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(10)}]`);
    const { fault } = await readYamlDocuments(`a0: &a0 [x]\n${levels.join('\n')}\n`);
    expect(fault?.message).toContain('alias');
  });
});
