// Where webhooks are called: a URL or a Service, which admission and custom resources write the same way.

import { X509Certificate } from 'node:crypto';
import { brokenEscape } from '../base/text/go-url-path.ts';
import { invalidValue, required } from '../meta/field-errors.ts';
import { findEach } from '../meta/find-each.ts';
import { checkSubdomain } from '../meta/names.ts';
import { checkPortNumber } from '../meta/network-names.ts';
import { repeatsIn, type ValidationErrors } from './rules.ts';

interface WebhookClient {
  readonly url?: string;
  readonly service?: WebhookService;
}

interface WebhookService {
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string;
  readonly port?: number;
}

const httpsPort = 443;

/** A Service is called on the port of HTTPS, unless the client names another. */
export function withServicePort<T extends WebhookClient>(client: T): T {
  const { service } = client;
  return service && service.port === undefined ? { ...client, service: { ...service, port: httpsPort } } : client;
}

export function validateWebhookClient({ url, service }: WebhookClient, at: string): ValidationErrors {
  if ((url === undefined) === (service === undefined))
    return [required(at, 'exactly one of url or service is required')];
  return service ? validateService(service, `${at}.service`) : validateUrl(url ?? '', `${at}.url`);
}

const wanted = '; desired format: https://host[/path]';
// As RFC 3986 takes a reference apart: what the language's own parser repairs has to be refused here.
const parts = /^(?:([a-z][-+.a-z0-9]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is;

function validateUrl(url: string, at: string): ValidationErrors {
  const [, scheme = '', authority = '', path = '', query = '', fragment = ''] = parts.exec(url) ?? [];
  const userEnd = authority.lastIndexOf('@');
  const host = authority.slice(userEnd + 1);
  const broken = problemOf(url, host) ?? escapeProblem(path);
  if (broken !== undefined)
    return [
      required(at, `url must be a valid URL: parse ${JSON.stringify(url.replace(/#.*$/s, ''))}: ${broken}${wanted}`),
    ];
  return [
    ...(scheme.toLowerCase() === 'https'
      ? []
      : [invalidValue(at, scheme, `'https' is the only allowed URL scheme${wanted}`)]),
    ...(host === '' ? [invalidValue(at, host, `host must be specified${wanted}`)] : []),
    ...(userEnd < 0
      ? []
      : [invalidValue(at, authority.slice(0, userEnd), 'user information is not permitted in the URL')]),
    ...(fragment === '' ? [] : [invalidValue(at, fragment, 'fragments are not permitted in the URL')]),
    ...(query === '' ? [] : [invalidValue(at, query, 'query parameters are not permitted in the URL')]),
  ];
}

const hasControls = (text: string) => [...text].some((c) => c < ' ' || c === '\u007f');

function problemOf(url: string, host: string): string | undefined {
  if (hasControls(url)) return 'net/url: invalid control character in URL';
  if (url.startsWith(':')) return 'missing protocol scheme';
  const port = /:([^\]:]*)$/.exec(host)?.[1];
  if (port !== undefined && !/^\d*$/.test(port)) return `invalid port ${JSON.stringify(`:${port}`)} after host`;
  const badEscape = escapeProblem(host);
  if (badEscape !== undefined) return badEscape;
  const odd = /[ "<>\\^`{|}]/.exec(host)?.[0];
  return odd === undefined ? undefined : `invalid character ${JSON.stringify(odd)} in host name`;
}

function escapeProblem(text: string): string | undefined {
  const broken = brokenEscape(text);
  return broken === undefined ? undefined : `invalid URL escape ${JSON.stringify(broken)}`;
}

function validateService({ namespace, name, path, port = 0 }: WebhookService, at: string): ValidationErrors {
  const portProblems = checkPortNumber(port);
  return [
    // compat: a service without a namespace is reported at its name, and one without a name at its namespace
    ...(namespace ? [] : [required(`${at}.name`)]),
    ...(name ? [] : [required(`${at}.namespace`)]),
    ...(portProblems.length > 0
      ? [invalidValue(`${at}.port`, port, `port is not valid: ${portProblems.join(', ')}`)]
      : []),
    ...(path ? validatePath(path, `${at}.path`) : []),
  ];
}

/** A slash before every step; every step is a name. */
function validatePath(path: string, at: string): ValidationErrors {
  if (path === '/') return [];
  if (path === '//') return [invalidValue(at, path, 'segment[0] may not be empty')];
  // compat: the first byte is taken for the slash, whatever it is
  const rest = Buffer.from(path).subarray(1).toString('latin1');
  const steps = rest.replace(/\/$/, '').split('/');
  return [
    ...(path.startsWith('/') ? [] : [invalidValue(at, path, "must start with a '/'")]),
    ...findEach(steps, (step, index) =>
      step === ''
        ? [invalidValue(at, path, `segment[${index}] may not be empty`)]
        : checkSubdomain(step).map((problem) => invalidValue(at, path, `segment[${index}]: ${problem}`)),
    ),
  ];
}

/** Versions of the review that a webhook understands: at least one that is sent, none twice. */
export function validateReviewVersions(
  versions: readonly string[],
  at: string,
  { check, known, detail = '' }: ReviewVersionRules,
): ValidationErrors {
  if (versions.length === 0) return [required(at, detail)];
  const isRepeated = repeatsIn(versions);
  const sent = versions.some((version) => reviewVersions.includes(version));
  return [
    ...findEach(versions, (version, index) =>
      isRepeated(index)
        ? [invalidValue(`${at}[${index}]`, version, 'duplicate version')]
        : check(version).map((problem) => invalidValue(`${at}[${index}]`, version, problem)),
    ),
    ...(known && !sent
      ? [invalidValue(at, versions, `must include at least one of ${reviewVersions.join(', ')}`)]
      : []),
  ];
}

interface ReviewVersionRules {
  check(version: string): readonly string[];
  /** Whether one of them has to be a version that is sent. */
  readonly known: boolean;
  readonly detail?: string;
}

/** Versions in which reviews are sent. */
export const reviewVersions: readonly string[] = ['v1', 'v1beta1'];

const certificate = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** Why a bundle of certificates, given in base64, cannot be used; undefined where it can. */
export function bundleProblem(bundle: string): string | undefined {
  const found = Buffer.from(bundle, 'base64').toString('latin1').match(certificate) ?? [];
  try {
    for (const one of found) new X509Certificate(one);
  } catch (error) {
    return `unable to parse certificate: ${(error as Error).message}`;
  }
  return found.length > 0 ? undefined : 'data does not contain any valid RSA or ECDSA certificates';
}
