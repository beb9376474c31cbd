// What is wrong with the Windows settings of a container or a pod.

import { invalidValue } from '../../../../meta/field-errors.ts';
import { checkSubdomain } from '../../../../meta/names.ts';
import type { Infer } from '../../../../schema/types.ts';
import { checked, type ValidationErrors } from '../../../rules.ts';
import type { windowsSecurityContextOptions } from './security-context.ts';

type WindowsOptions = Infer<typeof windowsSecurityContextOptions>;

const maxSpecKiB = 64;

export function validateWindows(options: WindowsOptions | undefined, at: string): ValidationErrors {
  if (options === undefined) return [];
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: spec, runAsUserName: user } = options;
  return [
    ...(name === undefined ? [] : checked(`${at}.gmsaCredentialSpecName`, name, checkSubdomain)),
    ...(spec === undefined ? [] : validateCredentials(spec, `${at}.gmsaCredentialSpec`)),
    ...(user === undefined ? [] : checked(`${at}.runAsUserName`, user, checkUser)),
  ];
}

function validateCredentials(spec: string, at: string): ValidationErrors {
  if (spec === '') return [invalidValue(at, spec, 'gmsaCredentialSpec cannot be an empty string')];
  if (Buffer.byteLength(spec) <= maxSpecKiB * 1024) return [];
  return [invalidValue(at, '', `gmsaCredentialSpec size must be under ${maxSpecKiB} KiB`)];
}

/** `user`, or `domain\user`. */
function checkUser(name: string): readonly string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  if (/\p{Cc}/u.test(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const [user = '', domain] = parts.reverse();
  return [...(domain === undefined ? [] : checkDomain(domain)), ...checkAccount(user)];
}

const maxDomain = 256;
const netBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const label = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const domainName = new RegExp(`^${label}(?:\\.${label})*$`);

function checkDomain(domain: string): readonly string[] {
  const isKnown = netBios.test(domain) || domainName.test(domain);
  return [
    ...(domain.length >= maxDomain ? [`runAsUserName's Domain length must be under ${maxDomain} characters`] : []),
    ...(isKnown ? [] : ["runAsUserName's Domain doesn't match the NetBios nor the DNS format"]),
  ];
}

const maxUser = 104;

function checkAccount(user: string): readonly string[] {
  const isTooLong = user.length > maxUser;
  return [
    ...(user === '' ? ["runAsUserName's User cannot be empty"] : []),
    ...(isTooLong ? [`runAsUserName's User length must not be longer than ${maxUser} characters`] : []),
    ...(/^[. ]+$/.test(user) ? ["runAsUserName's User cannot contain only periods or spaces"] : []),
    ...(/["/\\:;|=,+*?<>@[\]]/.test(user)
      ? [`runAsUserName's User cannot contain the following characters: "/\\:;|=,+*?<>@[]`]
      : []),
  ];
}
