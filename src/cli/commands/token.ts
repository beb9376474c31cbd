// `keelson token`: a bearer token of a service account, or a bootstrap token for a node that joins.

import { randomInt } from 'node:crypto';
import type { Client } from '../../client/client.ts';
import { duration, listOf, text } from '../../config/value-types.ts';
import { bootstrapTokenType, type Dialect, groupName } from '../../meta/dialect.ts';
import { formatTime } from '../../meta/time.ts';
import { type Guide, parseCommandLine } from '../flags/command-line.ts';
import { chosenDialect, dialectFlags } from '../flags/dialect-flags.ts';
import { dataDirFlag, withRunningServer } from '../own-server.ts';
import { UsageError } from '../usage-error.ts';

const flags = {
  dataDir: dataDirFlag,
  namespace: { name: 'namespace', short: 'n', type: text, help: 'Namespace of the service account (default default).' },
  duration: {
    name: 'duration',
    type: duration,
    help: 'How long the token is valid (default 1h, for bootstrap tokens 24h).',
  },
  audience: { name: 'audience', type: listOf(text), help: 'Audiences of the token; the server itself when not given.' },
  ...dialectFlags,
};

export const tokenGuide: Guide = {
  usage: '[SERVICE_ACCOUNT | bootstrap] [flags]',
  actions: {
    '(an account)': "Prints a token of a service account, which has that account's rights (default: default).",
    bootstrap: 'Makes a bootstrap token, with which a node can join, and prints it.',
  },
  notes: ['The server of the data folder has to run.'],
  flags,
};

type Given = ReturnType<typeof parseCommandLine<typeof flags>>['given'];

export async function token(args: readonly string[]): Promise<number> {
  const { words, given } = parseCommandLine('token', flags, args);
  const [account = 'default', ...rest] = words;
  if (rest.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(rest[0])}`);
  const made = await withRunningServer(given.dataDir, ({ client }) =>
    account === 'bootstrap' ? bootstrapToken(client, given) : accountToken(client, account, given),
  );
  process.stdout.write(`${made}\n`);
  return 0;
}

async function accountToken(client: Client, account: string, { namespace, ...given }: Given): Promise<string> {
  const [inNamespace, name] = [namespace ?? 'default', account].map(encodeURIComponent);
  const spec = {
    expirationSeconds: given.duration ?? 3600,
    ...(given.audience === undefined ? {} : { audiences: given.audience }),
  };
  const path = `/api/v1/namespaces/${inNamespace}/serviceaccounts/${name}/token`;
  const { status } = (await client.create(path, { spec })) as { readonly status?: { readonly token?: string } };
  return status?.token ?? '';
}

async function bootstrapToken(client: Client, given: Given): Promise<string> {
  const { duration: seconds = 24 * 60 * 60 } = given;
  const [id, secret] = [randomText(6), randomText(16)];
  const dialect = chosenDialect(given);
  const namespace = dialect.systemNamespace;
  const secrets = `/api/v1/namespaces/${namespace}/secrets`;
  await client.create(secrets, {
    metadata: { name: `bootstrap-token-${id}`, namespace },
    type: bootstrapTokenType(dialect),
    stringData: {
      ...{ 'token-id': id, 'token-secret': secret },
      expiration: formatTime(Date.now() + seconds * 1000),
      ...{ 'usage-bootstrap-authentication': 'true', 'usage-bootstrap-signing': 'true' },
    },
  });
  const made = `${id}.${secret}`;
  if (await isAccepted(client, made, dialect)) return made;
  await client.delete(`${secrets}/bootstrap-token-${id}`);
  throw new Error('the server does not accept bootstrap tokens: start it with --enable-bootstrap-token-auth');
}

async function isAccepted(client: Client, made: string, dialect: Dialect): Promise<boolean> {
  const path = `/apis/${groupName(dialect, 'authentication')}/v1/tokenreviews`;
  const { status } = (await client.create(path, { spec: { token: made } })) as {
    readonly status?: { readonly authenticated?: boolean };
  };
  return status?.authenticated === true;
}

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';

const randomText = (length: number): string =>
  Array.from({ length }, () => letters[randomInt(letters.length)]).join('');
