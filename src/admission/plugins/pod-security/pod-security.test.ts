// The pod security standards, and where they count.

import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../base/time/clock.ts';
import { kubernetes } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { ResourceDefinition } from '../../../schema/resource.ts';
import type { PodSecuritySettings } from '../../engines.ts';
import { defaultSettings } from '../../plugin-settings.ts';
import { lookupOf, requestFor } from '../../testing.ts';
import { podSecurity } from './pod-security.ts';
import { detailsOf, type Level, violationsOf } from './policy.ts';

const dialect = kubernetes;
const judge = (level: Level, spec: object, version = 'latest', annotations = {}) =>
  detailsOf(violationsOf({ level, version }, { metadata: { annotations }, spec }, dialect));
const container = (securityContext?: object, more: object = {}) => ({
  containers: [{ name: 'c', ...(securityContext && { securityContext }), ...more }],
});
const good = {
  ...container({ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } }),
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
};

test.each([
  [{ hostNetwork: true, hostIPC: true }, 'host namespaces (hostNetwork=true, hostIPC=true)'],
  [container({ privileged: true }), 'privileged (container "c" must not set securityContext.privileged=true)'],
  [
    container({ capabilities: { add: ['NET_ADMIN', 'CHOWN', 'BPF'] } }),
    'non-default capabilities (container "c" must not include "BPF", "NET_ADMIN" in securityContext.capabilities.add)',
  ],
  [
    {
      volumes: [
        { name: 'a', hostPath: {} },
        { name: 'b', hostPath: {} },
      ],
    },
    'hostPath volumes (volumes "a", "b")',
  ],
  [container(undefined, { ports: [{ hostPort: 80 }] }), 'hostPort (container "c" uses hostPort 80)'],
  [
    container({ procMount: 'Unmasked' }),
    'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
  ],
  [
    { securityContext: { seLinuxOptions: { type: 'x', user: 'u' } } },
    'seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "x"; user may not be set)',
  ],
  [
    {
      ...container({ seccompProfile: { type: 'Unconfined' } }),
      securityContext: { seccompProfile: { type: 'Unconfined' } },
    },
    'seccompProfile (pod and container "c" must not set securityContext.seccompProfile.type to "Unconfined")',
  ],
  [{ securityContext: { sysctls: [{ name: 'kernel.x' }] } }, 'forbidden sysctls (kernel.x)'],
  [
    { ephemeralContainers: [{ name: 'e', securityContext: { windowsOptions: { hostProcess: true } } }] },
    'hostProcess (container "e" must not set securityContext.windowsOptions.hostProcess=true)',
  ],
  [
    container(undefined, { livenessProbe: { httpGet: { host: '1.2.3.4' } } }),
    'probe or lifecycle host (container "c" uses probe or lifecycle host "1.2.3.4")',
  ],
  [
    container({ appArmorProfile: { type: 'Unconfined' } }),
    'forbidden AppArmor profile (container "c" must not set AppArmor profile type to "Unconfined")',
  ],
  [container(), ''],
])('baseline finds in %j: %s', (spec, expected) => {
  expect(judge('baseline', spec)).toBe(expected);
});

test('restricted asks for all that can be done without', () => {
  expect(judge('restricted', container())).toBe(
    'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), ' +
      'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), ' +
      'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), ' +
      'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  );
  expect(judge('restricted', good)).toBe('');
});

test.each([
  [
    { ...good, volumes: [{ name: 'v', hostPath: {} }] },
    'restricted volume types (volume "v" uses restricted volume type "hostPath")',
  ],
  [{ ...good, hostPID: true }, 'host namespaces (hostPID=true)'],
  [
    { ...good, securityContext: { ...good.securityContext, runAsUser: 0 } },
    'runAsUser=0 (pod must not set runAsUser=0)',
  ],
  [
    { ...good, securityContext: { ...good.securityContext, runAsNonRoot: false } },
    'runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false)',
  ],
])('restricted finds in %j: %s', (spec, expected) => {
  expect(judge('restricted', spec)).toBe(expected);
});

test('an older release knew less, and another system is another matter', () => {
  const sysctls = { securityContext: { sysctls: [{ name: 'net.ipv4.tcp_rmem' }] } };
  expect([judge('baseline', sysctls), judge('baseline', sysctls, 'v1.31')]).toEqual([
    '',
    'forbidden sysctls (net.ipv4.tcp_rmem)',
  ]);
  expect(judge('restricted', { securityContext: { runAsUser: 0, runAsNonRoot: true } }, 'v1.22')).toBe('');
  expect(
    judge('restricted', { ...container(), os: { name: 'windows' }, securityContext: { runAsNonRoot: true } }),
  ).toBe('');
});

describe('the plugin', () => {
  const label = (mode: string) => `pod-security.kubernetes.io/${mode}`;
  const namespace = (labels: Record<string, string>): ApiObject => ({
    ...{ kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'n', labels } },
  });
  const pods = { group: '', plural: 'pods' } as ResourceDefinition;
  const pod = (spec: object, name = 'p'): ApiObject => ({
    ...{ kind: 'Pod', apiVersion: 'v1', metadata: { name, namespace: 'n' }, spec },
  });
  const pluginFor = (labels: Record<string, string>, settings: PodSecuritySettings = defaultSettings.podSecurity) =>
    podSecurity({
      clock: systemClock,
      dialect,
      objects: lookupOf({
        namespaces: [namespace(labels)].map(({ metadata, ...rest }) => ({ ...rest, metadata })),
        pods: [pod({ hostPID: true }, 'a'), pod({ hostPID: true }, 'b')],
      }),
      settings: { podSecurity: settings },
    });

  test('refuses, warns and notes as the namespace says', async () => {
    const plugin = pluginFor({
      [label('enforce')]: 'baseline',
      [label('warn')]: 'restricted',
      [label('audit')]: 'restricted',
    });
    expect(() => plugin.validate?.(requestFor({ definition: pods, object: pod({ hostPID: true }) }))).toThrow(
      'pods "p" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostPID=true)',
    );
    const request = requestFor({ definition: pods, object: pod(container({ runAsUser: 0 })) });
    await plugin.validate?.(request);
    expect(request.warnings).toEqual([expect.stringMatching(/^would violate PodSecurity "restricted:latest": allow/)]);
    expect(request.annotations).toMatchObject({
      [label('enforce-policy')]: 'baseline:latest',
      [label('audit-violations')]: expect.stringMatching(/^would violate PodSecurity "restricted:latest"/) as string,
    });
  });

  test('only warns about what will make pods', () => {
    const plugin = pluginFor({ [label('enforce')]: 'restricted', [label('warn')]: 'baseline' });
    const definition = { group: 'apps', plural: 'deployments' } as ResourceDefinition;
    const request = requestFor({ definition, object: pod({ template: { spec: { hostPID: true } } }) });
    expect(plugin.covers(definition, '', 'CREATE')).toBe(true);
    expect(() => plugin.validate?.(request)).not.toThrow();
    expect(request.warnings).toEqual(['would violate PodSecurity "baseline:latest": host namespaces (hostPID=true)']);
  });

  test('lets those be who are exempt, and changes that matter nothing', () => {
    const exemptions = { ...defaultSettings.podSecurity.exemptions, usernames: new Set(['root']) };
    const plugin = pluginFor({ [label('enforce')]: 'restricted' }, { ...defaultSettings.podSecurity, exemptions });
    const bad = pod({ hostPID: true });
    const exempt = requestFor({ definition: pods, object: bad, user: { name: 'root', groups: [] } });
    expect(() => plugin.validate?.(exempt)).not.toThrow();
    expect(exempt.annotations).toEqual({ [label('exempt')]: 'user' });
    const tolerant = { ...bad, spec: { hostPID: true, tolerations: [{ key: 'x' }] } };
    const change = requestFor({ definition: pods, operation: 'UPDATE', object: tolerant, oldObject: bad });
    expect(() => plugin.validate?.(change)).not.toThrow();
  });

  test('refuses labels that say nothing, and warns of pods that are there already', async () => {
    const plugin = pluginFor({});
    const definition = { group: '', plural: 'namespaces' } as ResourceDefinition;
    const wrong = requestFor({ definition, object: namespace({ [label('enforce')]: 'strict' }) });
    expect(() => plugin.validate?.(wrong)).toThrow(
      'Namespace "n" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted',
    );
    const stricter = { object: namespace({ [label('enforce')]: 'baseline' }), oldObject: namespace({}) };
    const request = requestFor({ definition, operation: 'UPDATE', ...stricter });
    await plugin.validate?.(request);
    expect(request.warnings).toEqual([
      'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:latest"',
      'a (and 1 other pod): host namespaces',
    ]);
  });

  test('says what labels of an exempt namespace would ask for, and that they have no effect', async () => {
    const exemptions = { ...defaultSettings.podSecurity.exemptions, namespaces: new Set(['n']) };
    const plugin = pluginFor({}, { ...defaultSettings.podSecurity, exemptions });
    const definition = { group: '', plural: 'namespaces' } as ResourceDefinition;
    const labels = {
      [label('enforce')]: 'baseline',
      [label('audit')]: 'restricted',
      [label('audit-version')]: 'v1.30',
    };
    const create = requestFor({ definition, object: namespace(labels) });
    await plugin.validate?.(create);
    expect(create.warnings).toEqual([
      'namespace "n" is exempt from Pod Security, and the policy (enforce=baseline:latest, audit=restricted:v1.30) will be ignored',
    ]);
    const silent = requestFor({ definition, object: namespace({ [label('warn')]: 'privileged' }) });
    await plugin.validate?.(silent);
    expect(silent.warnings).toEqual([]);
  });

  test('notes what is wrong with the labels of a namespace, and what is enforced where nothing is asked', async () => {
    const request = requestFor({ definition: pods, object: pod({}) });
    await pluginFor({ [label('warn')]: 'x', [label('audit')]: 'y' }).validate?.(request);
    expect(request.annotations).toEqual({
      [label('enforce-policy')]: 'privileged:latest',
      [label('error')]: expect.stringMatching(
        /^Failed to parse policy: \[metadata\.labels\[pod-security\.kubernetes\.io\/audit\]: .*, metadata\.labels/,
      ) as string,
    });
    const free = requestFor({ definition: pods, object: pod({ hostPID: true }) });
    await pluginFor({}).validate?.(free);
    expect(free.annotations).toEqual({ [label('enforce-policy')]: 'privileged:latest' });
  });
});
