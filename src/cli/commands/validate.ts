// `keelson validate`: manifests against the true server, without a cluster.

import { resolveOptions } from '../../config/options.ts';
import { given as eachTime, oneOf, text, yesOrNo } from '../../config/value-types.ts';
import { authenticated, type UserInfo } from '../../meta/user.ts';
import { type Guide, parseCommandLine } from '../flags/command-line.ts';
import { LocalServer } from '../manifests/local-server.ts';
import { readManifests } from '../manifests/read-manifests.ts';
import { UsageError } from '../usage-error.ts';
import { checkManifests } from '../validate/check-manifests.ts';
import { countOf, reports } from '../validate/report.ts';
import { parseOptionsAfterDashes } from './serve-options.ts';

const flags = {
  files: {
    name: 'filename',
    short: 'f',
    type: eachTime(text),
    help: 'A file, a folder of .yaml, .yml and .json files, or - for standard input; once or several times.',
  },
  recursive: { name: 'recursive', short: 'R', type: yesOrNo, help: 'Also reads folders within folders.' },
  definitions: {
    name: 'crds',
    type: eachTime(text),
    help: 'A file or folder of definitions of the kinds that the manifests use; once or several times.',
  },
  policies: {
    name: 'policies',
    type: eachTime(text),
    help: 'A file or folder of policies, bindings, parameters, namespaces, quotas and roles of the cluster; once or several times.',
  },
  user: {
    name: 'as',
    type: text,
    help: 'The user who creates the objects, with the rights that roles among the manifests grant.',
  },
  groups: { name: 'as-group', type: eachTime(text), help: 'A group of that user; once or several times.' },
  namespace: {
    name: 'namespace',
    short: 'n',
    type: text,
    help: 'The namespace of objects that name none (default default).',
  },
  output: {
    name: 'output',
    short: 'o',
    type: oneOf('text', 'json', 'sarif', 'junit'),
    help: 'How findings are printed (default text).',
  },
  failOn: {
    name: 'fail-on',
    type: oneOf('error', 'warning'),
    help: 'The level from which the exit code is 1 (default error).',
  },
} as const;

export const validateGuide: Guide = {
  usage:
    '-f PATH [-f PATH]... [--crds PATH] [--policies PATH] [--as USER] [-o text|json|sarif|junit] [-- FLAGS OF SERVE]',
  notes: [
    'Checks manifests by the server itself, in this process: fields, validation, expressions, policies, quotas, pod security,',
    'rights and versions. Each finding has a file, a line and a column. The exit code is 1 if there are errors.',
  ],
  flags,
};

export async function validate(args: readonly string[]): Promise<number> {
  const split = args.includes('--') ? args.indexOf('--') : args.length;
  const { words, given } = parseCommandLine('validate', flags, args.slice(0, split));
  const { files = [], definitions = [], policies = [], recursive = false, namespace, failOn = 'error' } = given;
  const usage = `usage: keelson validate ${validateGuide.usage}`;
  if (words.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(words[0])}; ${usage}`);
  if (files.length === 0) throw new UsageError(`no file given; ${usage}`);
  const { options } = parseOptionsAfterDashes(args.slice(split + 1));
  const { dialect } = resolveOptions({ ...options, store: 'memory' });
  const [setup, subject] = await Promise.all([
    readManifests([...definitions, ...policies], { recursive }),
    readManifests(files, { recursive }),
  ]);
  const server = await LocalServer.open(options, namespace);
  try {
    const result = await checkManifests(server, { setup, subject, dialect, user: userOf(given) });
    process.stdout.write(reports[given.output ?? 'text'](result));
    const fails = countOf(result.findings, 'error') + (failOn === 'warning' ? countOf(result.findings, 'warning') : 0);
    return fails === 0 ? 0 : 1;
  } finally {
    await server.close();
  }
}

function userOf({
  user,
  groups = [],
}: {
  readonly user?: string;
  readonly groups?: readonly string[];
}): UserInfo | undefined {
  if (user !== undefined) return authenticated({ name: user, groups });
  if (groups.length > 0) throw new UsageError('--as-group needs --as');
  return undefined;
}
