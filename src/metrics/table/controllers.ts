// Controllers, custom resources, addresses and ports of services, aggregated APIs.

import { counter, gauge, histogram } from '../metric-entry.ts';

export const controllerTable = {
  aggregator_discovery_aggregation_count_total: counter(
    'ALPHA',
    [],
    'How often the document of aggregated discovery was made.',
  ),
  aggregator_unavailable_apiservice: gauge('ALPHA', ['name'], 'Whether an APIService is unavailable, by name.'),
  aggregator_unavailable_apiservice_total: counter(
    'ALPHA',
    ['name', 'reason'],
    'APIServices that became unavailable, by name and reason.',
  ),
  apiextensions_openapi_v2_regeneration_count: counter(
    'ALPHA',
    ['crd', 'reason'],
    'Changes of the OpenAPI v2 documents, by the definition that caused them.',
  ),
  apiextensions_openapi_v3_regeneration_count: counter(
    'ALPHA',
    ['crd', 'group', 'reason', 'version'],
    'Changes of the OpenAPI v3 documents, by the definition that caused them.',
  ),
  apiserver_cel_compilation_duration_seconds: histogram(
    'BETA',
    [],
    'Seconds that it took to compile rules of custom resources.',
  ),
  apiserver_cel_evaluation_duration_seconds: histogram(
    'BETA',
    [],
    'Seconds that it took to evaluate the rules of one object.',
  ),
  apiserver_certificates_registry_csr_honored_duration_total: counter(
    'ALPHA',
    ['signerName'],
    'Certificates that last as long as their clients requested, by signer.',
  ),
  apiserver_certificates_registry_csr_requested_duration_total: counter(
    'ALPHA',
    ['signerName'],
    'Certificates that were issued to clients that requested a time, by signer.',
  ),
  apiserver_nodeport_repair_port_errors_total: counter(
    'ALPHA',
    ['type'],
    'Node ports that did not agree with services, by how.',
  ),
  apiserver_nodeport_repair_reconcile_errors_total: counter('ALPHA', [], 'Rounds of comparing node ports that failed.'),
  kube_apiserver_clusterip_allocator_allocated_ips: gauge('ALPHA', ['cidr'], 'Addresses that services have.'),
  kube_apiserver_clusterip_allocator_allocation_duration_seconds: histogram(
    'ALPHA',
    ['cidr'],
    'Seconds that it took to reserve an address.',
  ),
  kube_apiserver_clusterip_allocator_allocation_errors_total: counter(
    'ALPHA',
    ['cidr', 'scope'],
    'Addresses that could not be reserved.',
  ),
  kube_apiserver_clusterip_allocator_allocation_total: counter(
    'ALPHA',
    ['cidr', 'scope'],
    'Addresses that services got, by whether clients chose them.',
  ),
  kube_apiserver_clusterip_allocator_available_ips: gauge('ALPHA', ['cidr'], 'Addresses that services may still get.'),
  kube_apiserver_nodeport_allocator_allocated_ports: gauge('ALPHA', [], 'Node ports that services have.'),
  kube_apiserver_nodeport_allocator_allocation_errors_total: counter(
    'ALPHA',
    ['scope'],
    'Node ports that could not be reserved.',
  ),
  kube_apiserver_nodeport_allocator_allocation_total: counter(
    'ALPHA',
    ['scope'],
    'Node ports that services got, by whether clients chose them.',
  ),
  kube_apiserver_nodeport_allocator_available_ports: gauge('ALPHA', [], 'Node ports that services may still get.'),
  pod_gc_collector_force_delete_pod_errors_total: counter(
    'ALPHA',
    ['namespace', 'reason'],
    'Pods that the pod garbage collector could not delete.',
  ),
  pod_gc_collector_force_delete_pods_total: counter(
    'ALPHA',
    ['namespace', 'reason'],
    'Pods that the pod garbage collector deleted or tried to delete.',
  ),
  workqueue_adds_total: counter('BETA', ['name'], 'Keys added to a queue.'),
  workqueue_depth: gauge('BETA', ['name'], 'Keys that wait in a queue.'),
  workqueue_longest_running_processor_seconds: gauge('BETA', ['name'], 'Seconds of the longest work under way.'),
  workqueue_queue_duration_seconds: histogram('BETA', ['name'], 'Seconds that keys waited.'),
  workqueue_retries_total: counter('BETA', ['name'], 'Keys that were tried again.'),
  workqueue_unfinished_work_seconds: gauge('BETA', ['name'], 'Seconds spent on keys that are not done.'),
  workqueue_work_duration_seconds: histogram('BETA', ['name'], 'Seconds that keys took.'),
};
