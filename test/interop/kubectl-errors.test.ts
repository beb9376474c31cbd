// Errors as kubectl's user reads them.

import { expect, test } from 'vitest';
import { printed, refused } from './outcomes.ts';
import { describeWith, kubectl } from './peers.ts';
import { workbench } from './workbench.ts';

/** A ConfigMap of which only the part that matters is said. */
const configMap = (rest: object) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'odd' }, ...rest });

const badRequest = (text: string) => `Error from server (BadRequest): error when creating "odd.yaml": ${text}`;
const undecodable = (text: string) => badRequest(`ConfigMap in version "v1" cannot be handled as a ConfigMap: ${text}`);
const invalid = (text: string) => `The ConfigMap "odd" is invalid: ${text}`;

const labelValueRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and " +
  "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is " +
  "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const configKeyRule =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  " +
  "or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and " +
  "end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

interface Case {
  readonly problem: string;
  readonly manifest: string;
  readonly complaint: string;
}

const cases: readonly Case[] = [
  {
    problem: 'a key that may not be one',
    manifest: configMap({ data: { 'a b': '1' } }),
    complaint: invalid(`data[a b]: Invalid value: "a b": ${configKeyRule}`),
  },
  {
    problem: 'a key that stands twice',
    manifest: configMap({ data: { a: '1' }, binaryData: { a: 'AAAA' } }),
    complaint: invalid('data[a]: Invalid value: "a": duplicate of key present in binaryData'),
  },
  {
    problem: 'a label value that may not be one',
    manifest: configMap({ metadata: { name: 'odd', labels: { tier: 'a b' } } }),
    complaint: invalid(`metadata.labels: Invalid value: "a b": ${labelValueRule}`),
  },
  {
    problem: 'a name that may not be one',
    manifest: configMap({ metadata: { name: 'Odd_Name' } }),
    complaint: `The ConfigMap "Odd_Name" is invalid: metadata.name: Invalid value: "Odd_Name": ${subdomainRule}`,
  },
  {
    problem: 'two missing keys',
    manifest: JSON.stringify({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'odd' },
      type: 'kubernetes.io/tls',
    }),
    complaint: 'The Secret "odd" is invalid: \n* data[tls.crt]: Required value\n* data[tls.key]: Required value',
  },
  {
    problem: 'a namespace that is not there',
    manifest: configMap({ metadata: { name: 'odd', namespace: 'nowhere' } }),
    complaint: 'Error from server (NotFound): error when creating "odd.yaml": namespaces "nowhere" not found',
  },
  {
    problem: 'an unknown field',
    manifest: configMap({ date: {} }),
    complaint: undecodable('strict decoding error: unknown field "date"'),
  },
  {
    problem: 'several unknown fields',
    manifest: configMap({ date: {}, metadata: { labls: {}, name: 'odd' } }),
    complaint: undecodable('strict decoding error: unknown field "date", unknown field "metadata.labls"'),
  },
  {
    problem: 'a number where text belongs',
    manifest: configMap({ data: { a: 1 } }),
    complaint: undecodable('json: cannot unmarshal number into Go struct field ConfigMap.data of type string'),
  },
  {
    problem: 'a list where a map belongs',
    manifest: configMap({ data: [] }),
    complaint: undecodable(
      'json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string',
    ),
  },
  {
    problem: 'bytes that are not base64',
    manifest: configMap({ binaryData: { a: '!!' } }),
    complaint: undecodable('illegal base64 data at input byte 0'),
  },
];

describeWith(kubectl, 'kubectl shows the error', () => {
  const bench = workbench(kubectl);

  async function expectComplaint({ manifest, complaint }: Case): Promise<void> {
    const { run, write } = await bench.namespace();
    write('odd.yaml', manifest);
    expect(await run`create -f odd.yaml`).toEqual(refused(complaint));
    expect((await run`get configmap odd --ignore-not-found -o name`).stdout).toBe('');
  }

  for (const one of cases) test(`of ${one.problem}`, () => expectComplaint(one));

  test('of unknown fields as warnings when asked to', async () => {
    const { run, write } = await bench.namespace();
    write('odd.yaml', configMap({ date: {} }));
    expect(await run`create --validate=warn -f odd.yaml`).toEqual({
      ...printed('configmap/odd created'),
      stderr: 'Warning: unknown field "date"\n',
    });
  });

  test('of a change to an immutable object', async () => {
    const { run, write } = await bench.namespace();
    write('odd.yaml', configMap({ data: { color: 'blue' }, immutable: true }));
    await run`apply -f odd.yaml`;
    write('odd.yaml', configMap({ data: { color: 'red' }, immutable: true }));
    expect(await run`apply -f odd.yaml`).toEqual(
      refused(invalid('data: Forbidden: field is immutable when `immutable` is set')),
    );
  });

  test('of a field selector that a kind does not support', async () => {
    const { run } = await bench.namespace();
    expect(await run`get secrets --field-selector data.a=1`).toEqual(
      refused(
        'Error from server (BadRequest): Unable to find "/v1, Resource=secrets" that match label selector "", ' +
          'field selector "data.a=1": field label not supported: data.a',
      ),
    );
  });

  test('of a field selector on a kind that has none of its own', async () => {
    const { run } = await bench.namespace();
    expect(await run`get configmaps --field-selector data.a=1`).toEqual(
      refused(
        'Error from server (BadRequest): Unable to find "/v1, Resource=configmaps" that match label selector "", ' +
          'field selector "data.a=1": "data.a" is not a known field selector: only "metadata.name", "metadata.namespace"',
      ),
    );
  });

  test('of a kind and of a path that are not served', async () => {
    const { run } = await bench.namespace();
    expect(await run`get unicorns`).toEqual(refused('error: the server doesn\'t have a resource type "unicorns"'));
    expect(await run`get --raw /apis/example.com/v1/unicorns`).toEqual(
      refused('Error from server (NotFound): the server could not find the requested resource'),
    );
  });

  test('of a write to a group that is not served', async () => {
    const { run, write } = await bench.namespace();
    write('body.json', '{}');
    expect(await run`create --raw /apis/example.com/v1/unicorns -f body.json`).toEqual(
      refused('Error from server (NotFound): the server could not find the requested resource'),
    );
  });

  test('of a JSON patch with an operation that does not exist', async () => {
    const { run } = await bench.namespace();
    await run`create configmap odd`;
    expect(await run`patch configmap odd --type json -p ${'[{"op":"paint","path":"/data"}]'}`).toEqual(
      refused('The request is invalid: the server rejected our request due to an error in our request'),
    );
  });
});
