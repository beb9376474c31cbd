// Lets a caller act as another user, where the authorizers allow it.

import { extraIn, valuesOf } from '../authn/request-header.ts';
import { RecentMap } from '../base/maps/recent-map.ts';
import type { AccessAttributes, AccessControl } from '../meta/access.ts';
import type { Dialect } from '../meta/dialect.ts';
import type { ApiRequest, Exchange } from '../meta/exchange.ts';
import { forbiddenRequest } from '../meta/forbidden-request.ts';
import { type ApiError, badRequest } from '../meta/status.ts';
import type { UserInfo } from '../meta/user.ts';
import { goQuoted } from '../wording/go-format.ts';
import { attributesOf, refusedEarly } from './authorize.ts';
import { type Impersonation, type ImpersonationMode, modesOf } from './impersonation-modes.ts';
import type { Stage } from './stage.ts';

const prefix = 'impersonate-';
const extraPrefix = 'impersonate-extra-';

/** Told of every attempt to act as another user, and of every question that it took. */
export interface ImpersonationObserver {
  /** A request goes on, as itself or as another user. */
  passed(seconds: number): void;
  attempted(mode: string, outcome: 'allowed' | 'denied', seconds: number): void;
  asked(mode: string, outcome: 'allowed' | 'denied', seconds: number): void;
}

interface ImpersonateConfig {
  readonly access: AccessControl;
  readonly dialect: Dialect;
  readonly impersonationObserver?: ImpersonationObserver;
}

/** The mode in which each caller was last let through: most use one, and the others need not be asked about first. */
type LastModes = RecentMap<ImpersonationMode>;
const maxCallers = 10_000;
const maxNameLength = 256;

export function impersonate(config: ImpersonateConfig): Stage {
  const last: LastModes = new RecentMap(maxCallers);
  const { impersonationObserver: observer } = config;
  return function impersonate(exchange) {
    // calls inside the process name their user in another way
    const wanted = exchange.request.hasHeader(prefix) ? wantedUser(exchange.request) : undefined;
    if (wanted !== undefined) return become(exchange, wanted, config, last);
    // to go on takes less time than it takes to read the clock
    observer?.passed(0);
    return undefined;
  };
}

/** The user to act as, exactly as the headers say. */
function wantedUser(request: ApiRequest): UserInfo | undefined {
  // of several names the first one counts
  const name = valuesOf(request, 'impersonate-user')[0] ?? '';
  const groups = valuesOf(request, 'impersonate-group');
  const uid = valuesOf(request, 'impersonate-uid')[0] ?? '';
  const extra = extraIn(request, [extraPrefix]);
  if (name !== '') return { name, groups, ...(uid === '' ? {} : { uid }), ...(extra === undefined ? {} : { extra }) };
  if (groups.length === 0 && uid === '' && extra === undefined) return undefined;
  const shown = `Name:"", UID:${goQuoted(uid)}, Groups:${listText(groups)}, Extra:${extraText(extra)}`;
  // compat: an identity without a name is shown as the reference implementation's language shows it
  throw refusedEarly(badRequest(`requested &user.DefaultInfo{${shown}} without impersonating a user name`));
}

function listText(values: readonly string[]): string {
  if (values.length === 0) return '[]string(nil)';
  return `[]string{${values.map(goQuoted).join(', ')}}`;
}

function extraText(extra: UserInfo['extra']): string {
  if (extra === undefined) return 'map[string][]string(nil)';
  const entries = Object.keys(extra)
    .sort()
    .map((key) => `${goQuoted(key)}:${listText(extra[key] ?? [])}`);
  return `map[string][]string{${entries.join(', ')}}`;
}

/** The first mode that lets the caller through counts; what the first of them said is what a refused caller hears. */
async function become(
  exchange: Exchange,
  wanted: UserInfo,
  config: ImpersonateConfig,
  last: LastModes,
): Promise<undefined> {
  const { dialect, impersonationObserver: observer } = config;
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  const attempt: Impersonation = { request: attributesOf(exchange), wanted, dialect };
  const caller = exchange.user.name;
  let refusal: ApiError | undefined;
  for (const mode of inOrder(attempt, last.get(caller))) {
    const refused = await ask(config, mode, attempt);
    refusal ??= refused;
    if (refused !== undefined) continue;
    if (caller.length <= maxNameLength) last.set(caller, mode);
    observer?.attempted(mode.name, 'allowed', seconds());
    observer?.passed(seconds());
    exchange.impersonator = exchange.user;
    exchange.impersonationConstraint = mode.constraint;
    exchange.user = mode.user(wanted);
    return undefined;
  }
  observer?.attempted('', 'denied', seconds());
  throw refusedEarly(refusal as ApiError);
}

function inOrder(attempt: Impersonation, last: ImpersonationMode | undefined): readonly ImpersonationMode[] {
  const known = modesOf(attempt.dialect);
  const ordered = last === undefined ? known : [last, ...known.filter((mode) => mode !== last)];
  return ordered.filter((mode) => mode.applies(attempt));
}

/** What keeps the caller from it; undefined for nothing. */
async function ask(
  { access, impersonationObserver: observer }: ImpersonateConfig,
  mode: ImpersonationMode,
  attempt: Impersonation,
): Promise<ApiError | undefined> {
  const refusalOf = async (asked: AccessAttributes): Promise<ApiError | undefined> => {
    const began = performance.now();
    const { kind, reason, error } = await access.decide(asked);
    const outcome = kind === 'allow' ? 'allowed' : 'denied';
    observer?.asked(mode.name, outcome, (performance.now() - began) / 1000);
    return kind === 'allow' ? undefined : forbiddenRequest(asked, [error, reason].filter(Boolean).join(': '));
  };
  const made = new Map<AccessAttributes, ApiError | undefined>();
  for (const step of mode.steps(attempt)) {
    if ('refusal' in step) return step.refusal;
    const { asked, unless } = step;
    if (unless !== undefined && !made.has(unless)) made.set(unless, await refusalOf(unless));
    if (unless !== undefined && made.get(unless) === undefined) continue;
    const refused = await refusalOf(asked);
    if (refused !== undefined) return refused;
  }
  return undefined;
}
