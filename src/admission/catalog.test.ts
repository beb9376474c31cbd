// The order of the plugins is Kubernetes' order, and the specification's table is all there.

import { expect, test } from 'vitest';
import { builtInPlugins } from './catalog.ts';

/** Of release 1.36, in order; + marks what is on by default. */
const ofKubernetes = `AlwaysAdmit NamespaceAutoProvision +NamespaceLifecycle NamespaceExists
  LimitPodHardAntiAffinityTopology +LimitRanger +ServiceAccount NodeRestriction +TaintNodesByCondition AlwaysPullImages
  ImagePolicyWebhook +PodSecurity PodNodeSelector +Priority +DefaultTolerationSeconds PodTolerationRestriction
  EventRateLimit ExtendedResourceToleration +DefaultStorageClass +StorageObjectInUseProtection +PodGroupProtection
  OwnerReferencesPermissionEnforcement +PersistentVolumeClaimResize +RuntimeClass +CertificateApproval
  +CertificateSigning +ClusterTrustBundleAttest +CertificateSubjectRestriction +DefaultIngressClass
  DenyServiceExternalIPs +PodTopologyLabels +PodGroupWorkloadExists +NodeDeclaredFeatureValidator +JobValidation
  +PodResizeValidator +MutatingAdmissionPolicy +MutatingAdmissionWebhook +ValidatingAdmissionPolicy
  +ValidatingAdmissionWebhook +ResourceQuota AlwaysDeny`.split(/\s+/);

/** Of the specification, which Kubernetes has removed: each comes after the plugin that it came after. */
const removed: Readonly<Record<string, string>> = {
  SecurityContextDeny: 'NamespaceExists',
  PodSecurityPolicy: 'PodSecurity',
  PersistentVolumeLabel: 'ExtendedResourceToleration',
};

const names = builtInPlugins.map(({ name }) => name);

test('plugins run in the order of Kubernetes, and are on where they are on there', () => {
  const kept = builtInPlugins.filter(({ name }) => !Object.hasOwn(removed, name));
  expect(kept.map(({ name, isOn }) => `${isOn ? '+' : ''}${name}`)).toEqual(ofKubernetes);
});

test('those that the specification lists are on by default', () => {
  const listed =
    `CertificateApproval CertificateSigning CertificateSubjectRestriction DefaultIngressClass DefaultStorageClass
    DefaultTolerationSeconds LimitRanger MutatingAdmissionWebhook NamespaceLifecycle PersistentVolumeClaimResize PodSecurity
    Priority ResourceQuota RuntimeClass ServiceAccount StorageObjectInUseProtection TaintNodesByCondition
    ValidatingAdmissionWebhook`.split(/\s+/);
  const on = builtInPlugins.filter(({ isOn }) => isOn).map(({ name }) => name);
  expect(on).toEqual(expect.arrayContaining(listed));
});

test.each(Object.entries(removed))('%s is off, and comes after %s', (name, before) => {
  const at = names.indexOf(name);
  expect([names[at - 1], builtInPlugins[at]?.isOn]).toEqual([before, false]);
});
