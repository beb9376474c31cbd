// Where the credentials of a kubeconfig's user come from.

import { type CredentialSource, type Credentials, pemSource, standingCredentials } from './credentials.ts';
import { type ExecSettings, ExecSource } from './exec/exec-source.ts';
import type { AuthProviderEntry } from './kubeconfig/kubeconfig.ts';
import type { Target } from './kubeconfig/target.ts';
import { OidcSource } from './oidc/oidc-source.ts';

export function credentialsOf(
  { user, cluster }: Pick<Target, 'user' | 'cluster'>,
  settings: ExecSettings,
): CredentialSource {
  const standing = standingCredentials(user, settings.clock);
  const hasAuthorization = user.token !== '' || user.tokenFile !== '' || user.username !== '';
  // who has something to show already needs nothing from a plugin or an issuer
  if (hasAuthorization) return standing;
  if (user.authProvider !== undefined) return withKeyPairOf(standing, oidcSource(user.authProvider, settings));
  if (user.exec === undefined) return standing;
  const { certificateAuthorityData: data, certificateAuthority: path } = cluster;
  const plugin = new ExecSource({
    ...settings,
    exec: user.exec,
    cluster,
    authority: pemSource(data, path, settings.clock),
  });
  return hasKeyPair(user) ? withKeyPairOf(standing, plugin) : plugin;
}

function oidcSource({ config }: AuthProviderEntry, { clock }: ExecSettings): OidcSource {
  const data = config.get('idp-certificate-authority-data') ?? '';
  const authority = pemSource(data, config.get('idp-certificate-authority') ?? '', clock);
  return new OidcSource({ config, authority, clock });
}

const hasKeyPair = ({ clientCertificate, clientCertificateData }: Target['user']) =>
  clientCertificate !== '' || clientCertificateData !== '';

/** A certificate in the kubeconfig wins over the plugin's. */
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
