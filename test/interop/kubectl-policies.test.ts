// Admission policies as kubectl's user meets them.

import { expect, test } from 'vitest';
import { refused } from './outcomes.ts';
import { describeWith, kubectl } from './peers.ts';
import { workbench } from './workbench.ts';

const manifests = (namespace: string) => `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: { name: replica-limit }
spec:
  failurePolicy: Fail
  paramKind: { apiVersion: v1, kind: ConfigMap }
  matchConstraints:
    resourceRules:
      - { apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments, deployments/scale] }
  validations:
    - expression: object.spec.replicas <= int(params.data.maxReplicas)
      messageExpression: "'at most ' + params.data.maxReplicas + ' replicas'"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: { name: replica-limit-${namespace} }
spec:
  policyName: replica-limit
  validationActions: [Deny]
  paramRef: { name: limits, parameterNotFoundAction: Deny }
  matchResources: { namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: ${namespace} } } }
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: { name: team-label }
spec:
  reinvocationPolicy: Never
  matchConstraints:
    resourceRules:
      - { apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments] }
  mutations:
    - patchType: ApplyConfiguration
      applyConfiguration: { expression: 'Object{metadata: Object.metadata{labels: {"team": "blue"}}}' }
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: { name: team-label-${namespace} }
spec:
  policyName: team-label
  matchResources: { namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: ${namespace} } } }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: limits }
data: { maxReplicas: "2" }
`;

describeWith(kubectl, 'policies', () => {
  const bench = workbench(kubectl);

  test('that are applied refuse and change what is created and scaled', async () => {
    const { run, write, namespace } = await bench.namespace();
    write('policies.yaml', manifests(namespace));
    const applied = await run`apply -f policies.yaml`;
    expect([applied.code, applied.stderr, applied.stdout.trim().split('\n').length]).toEqual([0, '', 5]);
    const denied = "ValidatingAdmissionPolicy 'replica-limit' with binding 'replica-limit-";
    expect(await run`create deployment web --image=i --replicas=3`).toEqual(
      refused(
        `error: failed to create deployment: deployments.apps "web" is forbidden: ${denied}${namespace}' denied request: at most 2 replicas`,
      ),
    );
    expect((await run`create deployment web --image=i --replicas=2`).code).toBe(0);
    expect((await run`get deployment web -o jsonpath={.metadata.labels}`).stdout).toBe('{"app":"web","team":"blue"}');
    const scaled = await run`scale deployment web --replicas=3`;
    expect([scaled.code, scaled.stderr]).toEqual([1, expect.stringContaining('at most 2 replicas')]);
    expect((await run`delete -f policies.yaml`).code).toBe(0);
    expect((await run`scale deployment web --replicas=3`).code).toBe(0);
  });
});
