// An operator written with the Python client: it installs its definition, leads by a Lease, reconciles, tells a status and
// cleans up behind a finalizer.

import { expect, test } from 'vitest';
import { startTestServer } from '../../src/testing/index.ts';
import { apiOf, configMaps } from '../integration/api.ts';
import { definitionOf } from '../integration/definition-shapes.ts';
import { eventually, gone } from '../integration/eventually.ts';
import { describeWith, programOf, pythonClient } from './peers.ts';
import { RunningProgram } from './running-program.ts';
import { TempFolder } from './temp-folder.ts';

const group = 'python.example.com';
const definition = definitionOf({
  ...{ plural: 'gardens', kind: 'Garden', group },
  version: { subresources: { status: {} } },
  schema: {
    type: 'object',
    properties: {
      spec: { type: 'object', required: ['plant'], properties: { plant: { type: 'string' } } },
      status: { type: 'object', properties: { phase: { type: 'string' }, plant: { type: 'string' } } },
    },
  },
});

const script = `
import datetime, json, sys
from kubernetes import client, config, watch

config.load_kube_config(sys.argv[1])
definition = json.load(open(sys.argv[2]))
say = lambda *words: print(*words, flush=True)
core, custom, leases = client.CoreV1Api(), client.CustomObjectsApi(), client.CoordinationV1Api()
where = ('python.example.com', 'v1', 'default', 'gardens')
finalizer = 'python.example.com/garden'

now = datetime.datetime.now(datetime.timezone.utc).isoformat()
lease = client.V1Lease(metadata=client.V1ObjectMeta(name='gardener'), spec=client.V1LeaseSpec(
    holder_identity='python', lease_duration_seconds=15, acquire_time=now, renew_time=now))
leases.create_namespaced_lease('default', lease)
try:
    leases.create_namespaced_lease('default', lease)
except client.exceptions.ApiException as error:
    say('lease', error.status, json.loads(error.body)['reason'])

extensions = client.ApiextensionsV1Api()
extensions.create_custom_resource_definition(definition)
name = definition['metadata']['name']
for event in watch.Watch().stream(extensions.list_custom_resource_definition,
                                  field_selector='metadata.name=' + name, timeout_seconds=20):
    conditions = event['object'].status.conditions or []
    if any(one.type == 'Established' and one.status == 'True' for one in conditions):
        break
say('established')

def reconcile(name):
    try:
        garden = custom.get_namespaced_custom_object(*where, name)
    except client.exceptions.ApiException as error:
        if error.status == 404:
            return
        raise
    meta = garden['metadata']
    if meta.get('deletionTimestamp'):
        core.delete_namespaced_config_map(name, 'default')
        custom.patch_namespaced_custom_object(*where, name, {'metadata': {'finalizers': None}})
        say('cleaned', name)
        return
    if finalizer not in meta.get('finalizers', []):
        garden = custom.patch_namespaced_custom_object(*where, name, {'metadata': {'finalizers': [finalizer]}})
    plant = garden['spec']['plant']
    if garden.get('status', {}).get('plant') == plant:
        return
    body = client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name), data={'plant': plant})
    try:
        core.create_namespaced_config_map('default', body)
    except client.exceptions.ApiException as error:
        if error.status != 409:
            raise
        core.patch_namespaced_config_map(name, 'default', body)
    custom.patch_namespaced_custom_object_status(*where, name, {'status': {'phase': 'Grown', 'plant': plant}})
    say('grown', name, plant)

stream = watch.Watch()
for event in stream.stream(custom.list_namespaced_custom_object, *where, timeout_seconds=30):
    if event['type'] == 'DELETED':
        stream.stop()
    else:
        reconcile(event['object']['metadata']['name'])
current = leases.read_namespaced_lease('gardener', 'default')
current.spec.holder_identity = None
leases.replace_namespaced_lease('gardener', 'default', current)
say('over')
`;

describeWith(pythonClient, 'an operator of the Python client', () => {
  test('installs its definition, reconciles, tells a status and cleans up', async () => {
    await using server = await startTestServer();
    const api = apiOf(server);
    using folder = new TempFolder();
    const files = [
      folder.write('operator.py', script),
      folder.write('kubeconfig', server.kubeconfig),
      folder.write('definition.json', JSON.stringify(definition)),
    ];
    const env = { ...process.env, NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' };
    await using python = new RunningProgram(programOf(pythonClient), files, { cwd: folder.path, env });
    await python.printed(/established/);
    const gardens = `/apis/${group}/v1/namespaces/default/gardens`;
    const garden = { apiVersion: `${group}/v1`, kind: 'Garden', metadata: { name: 'back' }, spec: { plant: 'rose' } };
    expect((await api.post(gardens, garden)).status).toBe(201);
    await python.printed(/grown back rose/);
    expect((await api.get(`${configMaps}/back`)).body.data).toEqual({ plant: 'rose' });
    expect((await api.patch('merge', `${gardens}/back`, { spec: { plant: 'tulip' } })).status).toBe(200);
    await python.printed(/grown back tulip/);
    const { body: grown } = (await api.get(`${gardens}/back`)) as {
      body: { status: object; metadata: { generation: number } };
    };
    expect(grown.status).toEqual({ phase: 'Grown', plant: 'tulip' });
    expect(grown.metadata.generation).toBe(2);
    expect((await api.delete(`${gardens}/back`)).status).toBe(200);
    await gone(api, `${gardens}/back`);
    await gone(api, `${configMaps}/back`);
    expect(await python.outcome()).toMatchObject({
      code: 0,
      stdout: [
        'lease 409 AlreadyExists',
        'established',
        'grown back rose',
        'grown back tulip',
        'cleaned back',
        'over',
        '',
      ].join('\n'),
    });
    const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases/gardener';
    await eventually(async () => expect((await api.get(lease)).body.spec.holderIdentity).toBeUndefined());
  });
});
