// `keelson can`: whether a user may do something, why or why not, who may, and all rules of a user.

import { RequestError } from '../../client/client.ts';
import type { Connection } from '../../client/connect.ts';
import { listOf, text, yesOrNo } from '../../config/value-types.ts';
import type { AccessAnswer, HolderAnswer, RuleAnswer } from '../../insight/access-answers.ts';
import { holdersText, rightsText, whyText } from '../access-text.ts';
import { type Guide, parseCommandLine } from '../flags/command-line.ts';
import { serverFlags, withChosenServer } from '../own-server.ts';
import { UsageError } from '../usage-error.ts';

const flags = {
  ...serverFlags,
  as: { name: 'as', type: text, help: 'The user in question (default the one of the kubeconfig).' },
  asGroup: { name: 'as-group', type: listOf(text), help: 'Groups of that user.' },
  namespace: { name: 'namespace', short: 'n', type: text, help: 'Namespace (default all of them).' },
  subresource: { name: 'subresource', type: text, help: 'Subresource, such as log or scale.' },
  who: { name: 'who', type: yesOrNo, help: 'Prints who may do it.' },
  list: { name: 'list', type: yesOrNo, help: 'Prints all rules of the user.' },
  json: { name: 'json', type: yesOrNo, help: 'Prints the answer of the server as JSON.' },
};

export const canGuide: Guide = {
  usage: 'VERB RESOURCE[.GROUP][/NAME] | VERB /PATH | --list [flags]',
  notes: [
    "Asks the server's own authorizers whether a user may do something. The exit code is 0 for yes and 1 for no.",
    'Questions about others need the right to create SubjectAccessReviews; roles and bindings are shown to users who may list them.',
  ],
  flags,
};

type Given = ReturnType<typeof parseCommandLine<typeof flags>>['given'];

export async function can(args: readonly string[]): Promise<number> {
  const { words, given } = parseCommandLine('can', flags, args);
  const query = queryOf(words, given);
  return withChosenServer(given, async (connection) => {
    if (given.list === true) {
      print(await ask<RuleAnswer>(connection, 'rules', query), given, rightsText);
      return 0;
    }
    if (given.who === true) {
      print(await ask<HolderAnswer>(connection, 'who', query), given, holdersText);
      return 0;
    }
    const answer = await ask<AccessAnswer>(connection, 'why', query);
    print(answer, given, whyText);
    return answer.allowed ? 0 : 1;
  });
}

function queryOf(words: readonly string[], given: Given): URLSearchParams {
  const query = new URLSearchParams();
  const { as: user, asGroup: groups = [], namespace, subresource } = given;
  if (user !== undefined) query.set('user', user);
  for (const group of groups) query.append('group', group);
  if (namespace !== undefined) query.set('namespace', namespace);
  const [verb, target, ...rest] = words;
  if (rest.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(rest[0])}`);
  if (given.list === true) {
    if (verb !== undefined || given.who === true) throw new UsageError('--list takes neither a verb nor --who');
    return query;
  }
  if (verb === undefined || target === undefined)
    throw new UsageError('a verb and a resource are expected, such as: can get pods');
  query.set('verb', verb);
  if (target.startsWith('/')) query.set('path', target);
  else {
    const [resource = '', name] = target.split('/', 2);
    query.set('resource', resource);
    if (name !== undefined) query.set('name', name);
    if (subresource !== undefined) query.set('subresource', subresource);
  }
  return query;
}

async function ask<T>({ transport }: Connection, page: string, query: URLSearchParams): Promise<T> {
  const path = `/debug/keelson/access/${page}?${query}`;
  const { status, body } = await transport.send({ method: 'GET', path });
  if (status !== 200) throw new RequestError(`GET /debug/keelson/access/${page}`, status, body);
  return body as T;
}

function print<T>(answer: T, { json = false }: Given, textOf: (answer: T) => string): void {
  process.stdout.write(json ? `${JSON.stringify(answer)}\n` : textOf(answer));
}
