// Flags about the signers of certificates.

import { type Flag, flag, inGroup, type Ungrouped } from './flag.ts';
import { duration, textOrNone } from './flag-values.ts';

/** Shorter than usual: the flags are long. */
const file = { ...textOrNone, placeholder: 'file' };

const signers = [
  { name: 'kube-apiserver-client', option: 'clusterSigningKubeApiserverClient', about: 'clients' },
  { name: 'kubelet-client', option: 'clusterSigningKubeletClient', about: 'kubelets as clients' },
  { name: 'kubelet-serving', option: 'clusterSigningKubeletServing', about: 'kubelets as servers' },
  { name: 'legacy-unknown', option: 'clusterSigningLegacyUnknown', about: 'requests without a signer' },
] as const;

function pairFlags({ name, option, about }: (typeof signers)[number]): readonly Ungrouped[] {
  return [
    flag({
      name: `cluster-signing-${name}-cert-file`,
      option: `${option}CertFile`,
      type: file,
      help: `PEM file of the CA that signs for ${about}; signers without a file sign nothing then.`,
    }),
    flag({
      name: `cluster-signing-${name}-key-file`,
      option: `${option}KeyFile`,
      type: file,
      help: `PEM file of the key of --cluster-signing-${name}-cert-file.`,
    }),
  ];
}

export const signingFlags: readonly Flag[] = inGroup('Certificates', [
  flag({
    name: 'cluster-signing-cert-file',
    option: 'clusterSigningCertFile',
    type: file,
    help: 'PEM file of the CA that signs certificate requests, read again when it changes; the own CA when not given.',
  }),
  flag({
    name: 'cluster-signing-key-file',
    option: 'clusterSigningKeyFile',
    type: file,
    help: 'PEM file of the key of --cluster-signing-cert-file.',
  }),
  flag({
    name: 'cluster-signing-duration',
    option: 'clusterSigningDurationSeconds',
    type: duration,
    default: '8760h',
    help: 'The longest life of certificates that are signed; a request may ask for a shorter one.',
  }),
  ...signers.flatMap(pairFlags),
]);
