// `keelson console`: a new link to sign in to the web console of a running server.

import { RequestError } from '../../client/client.ts';
import { type Guide, parseCommandLine } from '../flags/command-line.ts';
import { serverFlags, withChosenServer } from '../own-server.ts';
import { UsageError } from '../usage-error.ts';

export const consoleGuide: Guide = {
  usage: '[flags]',
  notes: [
    'Prints a link that signs you in as the administrator: it works once, for ten minutes, on the machine of the server.',
    'The server has to run with --enable-ui, as npm start does. The user of the kubeconfig has to be in the group system:masters.',
  ],
  flags: serverFlags,
};

const path = '/debug/keelson/sign-in-links';

export async function console(args: readonly string[]): Promise<number> {
  const { words, given } = parseCommandLine('console', serverFlags, args);
  if (words.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(words[0])}`);
  const link = await withChosenServer(given, async ({ transport }) => {
    const { status, body } = await transport.send({ method: 'POST', path });
    if (status === 404) throw new Error('the server has no console: start it with --enable-ui');
    if (status !== 201) throw new RequestError(`POST ${path}`, status, body);
    return (body as { readonly link: string }).link;
  });
  process.stdout.write(`${link}\n`);
  return 0;
}
