import { expect, test } from 'vitest';
import { goDump } from '../../../wording/types/go-dump.ts';
import { type PodTemplateSpec, podTemplateSpec } from '../../core/v1/pod/pod-spec.ts';
import { encodeHash, fnv32a, templateHash } from './template-hash.ts';

/** What `kubectl create deployment nginx --image=nginx` makes. */
const nginx: PodTemplateSpec = {
  metadata: { labels: { app: 'nginx' } },
  spec: {
    containers: [
      {
        ...{ name: 'nginx', image: 'nginx', imagePullPolicy: 'Always', resources: {} },
        ...{ terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' },
      },
    ],
    ...{ restartPolicy: 'Always', dnsPolicy: 'ClusterFirst', schedulerName: 'default-scheduler' },
    ...{ securityContext: {}, terminationGracePeriodSeconds: 30 },
  },
};

/** Fields that releases added, newest first, and the hash of the release that did not have them yet. */
const releases = [
  ['1.35', ' SchedulingGroup:(*v1.PodSchedulingGroup)<nil>', '66686b6766'],
  ['1.33', ' HostnameOverride:(*string)<nil>', undefined],
  ['1.33', ' RestartPolicyRules:([]v1.ContainerRestartRule)<nil>', '5869d7778c'],
  ['1.31', ' Resources:(*v1.ResourceRequirements)<nil>', undefined],
  ['1.31', ' SELinuxChangePolicy:(*v1.PodSELinuxChangePolicy)<nil>', '676b6c5bbc'],
  ['1.30', ' SupplementalGroupsPolicy:(*v1.SupplementalGroupsPolicy)<nil>', 'bf5d5cf98'],
] as const;

test('template hash: is that of kube-controller-manager, also without the fields that older releases lack', () => {
  let form = goDump(podTemplateSpec, nginx);
  for (const [release, field, hash] of releases) {
    expect(form).toContain(field);
    form = form.replace(field, '');
    if (hash !== undefined) expect([release, encodeHash(fnv32a(form))]).toEqual([release, hash]);
  }
});

test('template hash: another template, and another number of collisions, have another hash', () => {
  const other = { ...nginx, metadata: { labels: { app: 'other' } } };
  const hashes = [
    templateHash(nginx),
    templateHash(other),
    templateHash(nginx, 0),
    templateHash(nginx, 1),
    templateHash(nginx, 256),
  ];
  expect(new Set(hashes).size).toBe(hashes.length);
  expect(hashes[0]).toBe('7f8fbb96d');
});

test.each([
  ['100m', '{value:(int64)100 scale:(resource.Scale)-3}', 's:(string)100m Format:(resource.Format)DecimalSI'],
  ['1', '{value:(int64)1 scale:(resource.Scale)0}', 's:(string)1 Format:(resource.Format)DecimalSI'],
  ['64Mi', '{value:(int64)67108864 scale:(resource.Scale)0}', 's:(string) Format:(resource.Format)BinarySI'],
  ['100Mi', '{value:(int64)104857600 scale:(resource.Scale)0}', 's:(string)100Mi Format:(resource.Format)BinarySI'],
  ['0', '{value:(int64)0 scale:(resource.Scale)0}', 's:(string)0 Format:(resource.Format)DecimalSI'],
])('template hash: writes the amount %s as Go keeps it', (amount, int64, rest) => {
  const template = { spec: { containers: [{ resources: { limits: { cpu: amount } } }] } };
  const d = 'd:(resource.infDecAmount){Dec:(*inf.Dec)<nil>}';
  expect(goDump(podTemplateSpec, template)).toContain(
    `Limits:(v1.ResourceList)map[cpu:{i:(resource.int64Amount)${int64} ${d} ${rest}}]`,
  );
});

test('template hash: writes ports by number and by name, and lists and maps in order', () => {
  const probe = (port: number | string) => ({ httpGet: { port } });
  const containers = [{ livenessProbe: probe(80), readinessProbe: probe('http') }];
  const form = goDump(podTemplateSpec, { metadata: { labels: { b: '2', a: '1' } }, spec: { containers } });
  expect(form).toContain('Labels:(map[string]string)map[a:1 b:2]');
  expect(form).toContain('Port:(intstr.IntOrString){Type:(intstr.Type)0 IntVal:(int32)80 StrVal:(string)}');
  expect(form).toContain('Port:(intstr.IntOrString){Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)http}');
  expect(form).toContain('LivenessProbe:(*v1.Probe){ProbeHandler:(v1.ProbeHandler){Exec:(*v1.ExecAction)<nil>');
});
