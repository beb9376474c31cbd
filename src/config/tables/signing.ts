// Options of the signers of certificates, in the words of kube-controller-manager.

import { option } from '../option.ts';
import { positiveSeconds } from '../option-checks.ts';
import { duration, textOrNone } from '../value-types.ts';

/** With a shorter placeholder than other texts: the flags are long. */
const pemFile = { ...textOrNone, placeholder: 'file' };

export const signingOptions = {
  clusterSigningCertFile: option({
    type: pemFile,
    flag: 'cluster-signing-cert-file',
    help: 'PEM file of the CA that signs certificate requests, read again when it changes; the own CA when not given.',
  }),
  clusterSigningKeyFile: option({
    type: pemFile,
    flag: 'cluster-signing-key-file',
    help: 'PEM file of the key of --cluster-signing-cert-file.',
  }),
  clusterSigningDurationSeconds: option({
    type: duration,
    flag: 'cluster-signing-duration',
    default: '8760h',
    help: 'The longest life of certificates that are signed; a request may ask for a shorter one.',
    check: positiveSeconds,
  }),
  clusterSigningKubeApiserverClientCertFile: certificateOf('kube-apiserver-client', 'clients'),
  clusterSigningKubeApiserverClientKeyFile: keyOf('kube-apiserver-client'),
  clusterSigningKubeletClientCertFile: certificateOf('kubelet-client', 'kubelets as clients'),
  clusterSigningKubeletClientKeyFile: keyOf('kubelet-client'),
  clusterSigningKubeletServingCertFile: certificateOf('kubelet-serving', 'kubelets as servers'),
  clusterSigningKubeletServingKeyFile: keyOf('kubelet-serving'),
  clusterSigningLegacyUnknownCertFile: certificateOf('legacy-unknown', 'requests without a signer'),
  clusterSigningLegacyUnknownKeyFile: keyOf('legacy-unknown'),
};

function certificateOf(signer: string, about: string) {
  return option({
    type: pemFile,
    flag: `cluster-signing-${signer}-cert-file`,
    help: `PEM file of the CA that signs for ${about}; signers without a file sign nothing then.`,
  });
}

function keyOf(signer: string) {
  const help = `PEM file of the key of --cluster-signing-${signer}-cert-file.`;
  return option({ type: pemFile, flag: `cluster-signing-${signer}-key-file`, help });
}
