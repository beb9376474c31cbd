// The Python client: lists, creates and watches.

import { expect, test } from 'vitest';
import { startTestServer } from '../../src/testing/index.ts';
import { describeWith, programOf, pythonClient } from './peers.ts';
import { RunningProgram } from './running-program.ts';
import { TempFolder } from './temp-folder.ts';

const script = `
import json, sys
from kubernetes import client, config, watch

config.load_kube_config(sys.argv[1])
core = client.CoreV1Api()
say = lambda *words: print(*words, flush=True)

say('namespaces', *[item.metadata.name for item in core.list_namespace().items])
listed = core.list_namespaced_config_map('default', label_selector='test=python')
body = client.V1ConfigMap(
    metadata=client.V1ObjectMeta(name='from-python', labels={'test': 'python'}), data={'color': 'blue'})
created = core.create_namespaced_config_map('default', body)
say('created', created.metadata.name, created.metadata.creation_timestamp.tzinfo is not None)

stream = watch.Watch()
for event in stream.stream(core.list_namespaced_config_map, 'default', label_selector='test=python',
                           resource_version=listed.metadata.resource_version, timeout_seconds=20):
    seen = event['object']
    say(event['type'], seen.metadata.name, json.dumps(seen.data))
    if event['type'] == 'ADDED':
        core.patch_namespaced_config_map('from-python', 'default', {'data': {'color': 'red'}})
    elif event['type'] == 'MODIFIED':
        core.delete_namespaced_config_map('from-python', 'default')
    else:
        stream.stop()

try:
    core.read_namespaced_config_map('from-python', 'default')
except client.exceptions.ApiException as error:
    say('error', error.status, json.loads(error.body)['reason'])
`;

describeWith(pythonClient, 'the Python client', () => {
  test('lists namespaces, creates a config map and watches it to its end', async () => {
    await using server = await startTestServer();
    using folder = new TempFolder();
    const args = [folder.write('try.py', script), folder.write('kubeconfig', server.kubeconfig)];
    const env = { ...process.env, NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' };
    await using python = new RunningProgram(programOf(pythonClient), args, { cwd: folder.path, env });
    expect(await python.outcome()).toMatchObject({
      code: 0,
      stdout: [
        'namespaces default kube-node-lease kube-public kube-system',
        'created from-python True',
        'ADDED from-python {"color": "blue"}',
        'MODIFIED from-python {"color": "red"}',
        'DELETED from-python {"color": "red"}',
        'error 404 NotFound',
        '',
      ].join('\n'),
    });
  });
});
