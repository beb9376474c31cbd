// Where the credentials of a kubeconfig's user come from.

import { type CredentialSource, type Credentials, pemSource, standingCredentials } from './credentials.ts';
import { type ExecSettings, ExecSource } from './exec/exec-source.ts';
import type { Target } from './kubeconfig/target.ts';

export function credentialsOf(
  { user, cluster }: Pick<Target, 'user' | 'cluster'>,
  settings: ExecSettings,
): CredentialSource {
  const standing = standingCredentials(user, settings.clock);
  const hasAuthorization = user.token !== '' || user.tokenFile !== '' || user.username !== '';
  // who has something to show already needs nothing from a plugin
  if (user.exec === undefined || hasAuthorization) return standing;
  const { certificateAuthorityData: data, certificateAuthority: path } = cluster;
  const plugin = new ExecSource({
    ...settings,
    exec: user.exec,
    cluster,
    authority: pemSource(data, path, settings.clock),
  });
  return hasKeyPair(user) ? withKeyPairOf(standing, plugin) : plugin;
}

const hasKeyPair = ({ clientCertificate, clientCertificateData }: Target['user']) =>
  clientCertificate !== '' || clientCertificateData !== '';

/** A certificate that stands in the kubeconfig goes before the plugin's. */
function withKeyPairOf(standing: CredentialSource, plugin: CredentialSource): CredentialSource {
  const issuedFor = new WeakMap<Credentials, Credentials>();
  const both = async (issued: Credentials) => {
    const all = { ...issued, ...(await standing.current()) };
    issuedFor.set(all, issued);
    return all;
  };
  return {
    async current() {
      return both(await plugin.current());
    },
    async renew(used) {
      const newer = await plugin.renew(issuedFor.get(used) ?? used);
      return newer && both(newer);
    },
  };
}
