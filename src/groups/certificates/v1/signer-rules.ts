// What each built-in signer signs (spec: CSR permissions and signers), in the words of kube-controller-manager.

import type { CertificateRequest } from '../../../codec/pkcs10.ts';
import type { Dialect, SignerRole } from '../../../meta/dialect.ts';

interface Asked {
  readonly request: CertificateRequest;
  readonly usages: readonly string[];
}

/** Why a signer does not sign what is asked for; undefined when it does. */
type SignerRule = (asked: Asked, dialect: Dialect) => string | undefined;

const nodesGroup = 'system:nodes';
const nodePrefix = 'system:node:';

const clientUsages = ['digital signature', 'key encipherment', 'client auth'];

const forClients: SignerRule = ({ usages }) => {
  const odd = usages.find((usage) => !clientUsages.includes(usage));
  if (odd !== undefined) return `invalid usage for client certificate: ${odd}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
};

/** Also what is approved without a user who looks at it, so nothing but the name of the node is left to choose. */
const forAgentsAsClients: SignerRule = (asked, dialect) => {
  const { names } = asked.request;
  return (
    organizationProblem(asked) ??
    (names.hosts.length > 0 ? 'DNS subjectAltNames are not allowed' : undefined) ??
    (names.emails.length > 0 ? 'Email subjectAltNames are not allowed' : undefined) ??
    (names.addresses.length > 0 ? 'IP subjectAltNames are not allowed' : undefined) ??
    (names.uris.length > 0 ? 'URI subjectAltNames are not allowed' : undefined) ??
    nameProblem(asked) ??
    usageProblem(asked, 'client auth', dialect)
  );
};

const forAgentsAsServers: SignerRule = (asked, dialect) => {
  const { names } = asked.request;
  const hasHost = names.hosts.length > 0 || names.addresses.length > 0;
  return (
    organizationProblem(asked) ??
    (hasHost ? undefined : 'DNS or IP subjectAltName is required') ??
    (names.emails.length > 0 ? 'Email subjectAltNames are not allowed' : undefined) ??
    (names.uris.length > 0 ? 'URI subjectAltNames are not allowed' : undefined) ??
    usageProblem(asked, 'server auth', dialect) ??
    nameProblem(asked)
  );
};

function organizationProblem({ request: { subject } }: Asked): string | undefined {
  const [first, ...more] = subject.organizations;
  return first === nodesGroup && more.length === 0 ? undefined : `subject organization is not ${nodesGroup}`;
}

function nameProblem({ request: { subject } }: Asked): string | undefined {
  return subject.commonName.startsWith(nodePrefix)
    ? undefined
    : `subject common name does not begin with ${nodePrefix}`;
}

function usageProblem({ usages }: Asked, purpose: string, { rules }: Dialect): string | undefined {
  const wanted = new Set(['digital signature', 'key encipherment', purpose]);
  const asked = new Set(usages);
  if (rules.agentEncipherment === 'optional') asked.add('key encipherment');
  const isSame = asked.size === wanted.size && [...asked].every((usage) => wanted.has(usage));
  return isSame ? undefined : `usages did not match [${[...wanted].sort().join(' ')}]`;
}

export const signerRules: Readonly<Record<SignerRole, SignerRule>> = {
  client: forClients,
  agentClient: forAgentsAsClients,
  agentServing: forAgentsAsServers,
  legacyUnknown: () => undefined,
};
