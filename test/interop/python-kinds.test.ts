// The Python client with a dozen kinds: made, read back typed, changed, listed and deleted.

import { expect, test } from 'vitest';
import { startTestServer } from '../../src/testing/index.ts';
import { describeWith, programOf, pythonClient } from './peers.ts';
import { RunningProgram } from './running-program.ts';
import { TempFolder } from './temp-folder.ts';

const script = `
import sys
from kubernetes import client, config, utils

config.load_kube_config(sys.argv[1])
api = client.ApiClient()
core, apps, batch = client.CoreV1Api(api), client.AppsV1Api(api), client.BatchV1Api(api)
meta = lambda name: client.V1ObjectMeta(name=name, labels={'app': 'web'})
say = lambda *words: print(*words, flush=True)
pod = client.V1PodSpec(containers=[client.V1Container(name='c', image='nginx:1')])
template = client.V1PodTemplateSpec(metadata=meta('t'), spec=pod)
selector = client.V1LabelSelector(match_labels={'app': 'web'})
ending = client.V1PodSpec(restart_policy='Never', containers=[client.V1Container(name='c', image='nginx:1')])
job = client.V1JobSpec(template=client.V1PodTemplateSpec(spec=ending))

service = core.create_namespaced_service('default', client.V1Service(metadata=meta('s'),
    spec=client.V1ServiceSpec(type='NodePort', selector={'app': 'web'}, ports=[client.V1ServicePort(port=80)])))
say('Service', service.spec.cluster_ip != '', service.spec.ports[0].node_port >= 30000, service.spec.ports[0].target_port)
deployment = apps.create_namespaced_deployment('default', client.V1Deployment(metadata=meta('d'),
    spec=client.V1DeploymentSpec(selector=selector, template=template)))
say('Deployment', deployment.spec.replicas, deployment.spec.strategy.rolling_update.max_surge)
scaled = apps.patch_namespaced_deployment_scale('d', 'default', {'spec': {'replicas': 4}})
say('Scale', scaled.spec.replicas, scaled.status.selector)
daemons = apps.create_namespaced_daemon_set('default', client.V1DaemonSet(metadata=meta('ds'),
    spec=client.V1DaemonSetSpec(selector=selector, template=template)))
say('DaemonSet', daemons.spec.update_strategy.type)
claim = client.V1PersistentVolumeClaim(metadata=meta('data'), spec=client.V1PersistentVolumeClaimSpec(
    access_modes=['ReadWriteOnce'], resources={'requests': {'storage': '1Gi'}}))
say('PersistentVolumeClaim', core.create_namespaced_persistent_volume_claim('default', claim).status.phase)
sets = apps.create_namespaced_stateful_set('default', client.V1StatefulSet(metadata=meta('ss'), spec=client.V1StatefulSetSpec(
    service_name='s', selector=selector, template=template, volume_claim_templates=[claim])))
say('StatefulSet', sets.spec.pod_management_policy, sets.spec.volume_claim_templates[0].status.phase)
made = batch.create_namespaced_job('default', client.V1Job(metadata=meta('j'), spec=job))
say('Job', made.spec.backoff_limit, made.spec.completion_mode)
cron = batch.create_namespaced_cron_job('default', client.V1CronJob(metadata=meta('cj'), spec=client.V1CronJobSpec(
    schedule='@daily', job_template=client.V1JobTemplateSpec(spec=job))))
say('CronJob', cron.spec.concurrency_policy)
ingress = client.NetworkingV1Api(api).create_namespaced_ingress('default', client.V1Ingress(metadata=meta('i'),
    spec=client.V1IngressSpec(default_backend=client.V1IngressBackend(service=client.V1IngressServiceBackend(
        name='s', port=client.V1ServiceBackendPort(number=80))))))
say('Ingress', ingress.spec.default_backend.service.port.number)
scaler = client.AutoscalingV1Api(api).create_namespaced_horizontal_pod_autoscaler('default',
    client.V1HorizontalPodAutoscaler(metadata=meta('h'), spec=client.V1HorizontalPodAutoscalerSpec(max_replicas=3,
        scale_target_ref=client.V1CrossVersionObjectReference(kind='Deployment', name='d', api_version='apps/v1'))))
say('HorizontalPodAutoscaler', scaler.spec.min_replicas, scaler.spec.target_cpu_utilization_percentage)
budget = client.PolicyV1Api(api).create_namespaced_pod_disruption_budget('default', client.V1PodDisruptionBudget(
    metadata=meta('b'), spec=client.V1PodDisruptionBudgetSpec(selector=selector, min_available='50%')))
say('PodDisruptionBudget', budget.spec.min_available)
role = client.RbacAuthorizationV1Api(api).create_namespaced_role('default', client.V1Role(metadata=meta('r'),
    rules=[client.V1PolicyRule(api_groups=[''], resources=['pods'], verbs=['get'])]))
say('Role', role.rules[0].verbs)
klass = client.StorageV1Api(api).create_storage_class(client.V1StorageClass(metadata=meta('c'), provisioner='p.example'))
say('StorageClass', klass.reclaim_policy, klass.volume_binding_mode)
hooks = client.AdmissionregistrationV1Api(api).create_validating_webhook_configuration(
    client.V1ValidatingWebhookConfiguration(metadata=meta('w'), webhooks=[client.V1ValidatingWebhook(name='a.b.example',
        side_effects='None', admission_review_versions=['v1'],
        client_config=client.AdmissionregistrationV1WebhookClientConfig(url='https://a.example'))]))
say('ValidatingWebhookConfiguration', hooks.webhooks[0].failure_policy, hooks.webhooks[0].timeout_seconds)

try:
    apps.create_namespaced_deployment('default', client.V1Deployment(metadata=meta('bad'), spec=client.V1DeploymentSpec(
        selector=client.V1LabelSelector(match_labels={'app': 'other'}), template=template)))
except client.exceptions.ApiException as error:
    say('refused', error.status, error.reason)
say('listed', [item.metadata.name for item in apps.list_deployment_for_all_namespaces(label_selector='app=web').items])
apps.delete_namespaced_deployment('d', 'default')
say('left', len(apps.list_namespaced_deployment('default').items))
`;

describeWith(pythonClient, 'the Python client, kind by kind', () => {
  test('makes a dozen kinds and reads what the server filled in', async () => {
    await using server = await startTestServer();
    using folder = new TempFolder();
    const args = [folder.write('try.py', script), folder.write('kubeconfig', server.kubeconfig)];
    const env = { ...process.env, NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' };
    await using python = new RunningProgram(programOf(pythonClient), args, { cwd: folder.path, env });
    const { code, stdout, stderr } = await python.outcome();
    expect({ code, lines: stdout.trimEnd().split('\n'), stderr }).toEqual({
      stderr: '',
      code: 0,
      lines: [
        'Service True True 80',
        'Deployment 1 25%',
        'Scale 4 app=web',
        'DaemonSet RollingUpdate',
        'PersistentVolumeClaim Pending',
        'StatefulSet OrderedReady Pending',
        'Job 6 NonIndexed',
        'CronJob Allow',
        'Ingress 80',
        'HorizontalPodAutoscaler 1 80',
        'PodDisruptionBudget 50%',
        "Role ['get']",
        'StorageClass Delete Immediate',
        'ValidatingWebhookConfiguration Fail 10',
        'refused 422 Unprocessable Entity',
        "listed ['d']",
        'left 0',
      ],
    });
  });
});
