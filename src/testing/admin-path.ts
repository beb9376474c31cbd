// The test kit for programs in other languages: what a test asks for over HTTP, with the token of the test server only.

import { createHash, timingSafeEqual } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import { forbiddenRequest } from '../meta/forbidden-request.ts';
import { askedOf } from '../meta/require-access.ts';
import { ApiError, badRequest, plainError, unknownResource } from '../meta/status.ts';
import { type Fault, faultTypes } from './faults.ts';
import { type ArgumentTypes, flag, number, problemWith, text } from './given-options.ts';
import { filterProblem, type RequestFilter } from './request-filter.ts';
import type { TestServer, TestSnapshot } from './test-server.ts';

/** Where it is; nothing of a cluster is below it. */
export const adminPath = '/keelson-test';

const maxBodyBytes = 3 * 1024 * 1024;

type Action = (body: JsonObject, text: string) => Promise<object> | object;

export class AdminPath {
  readonly #tokenHash: Buffer;
  readonly #faults = new Map<string, Fault>();
  readonly #snapshots = new Map<string, TestSnapshot>();
  readonly #actions: ReadonlyMap<string, Action>;
  #server: TestServer | undefined;

  constructor(token: string) {
    this.#tokenHash = hashOf(token);
    const actions: Readonly<Record<string, Action>> = {
      apply: async (_, text) => {
        await this.#running().apply(text);
        return {};
      },
      snapshot: () => this.#snapshot(),
      reset: async (body) => {
        await this.#reset(body);
        return {};
      },
      faults: (body) => this.#fault(body),
      clock: (body) => this.#clock(body),
      journal: (body) => ({ requests: this.#running().journal.requests(filterOf(body)) }),
      users: (body) => this.#user(body),
    };
    this.#actions = new Map(Object.entries(actions));
  }

  /** Before this, nothing can be asked for. */
  serves(server: TestServer): void {
    this.#server = server;
  }

  isFor({ request: { path } }: Exchange): boolean {
    return path === adminPath || path.startsWith(`${adminPath}/`);
  }

  /** Other users have no business here, whatever roles grant them. */
  async answer({ request, user, info }: Exchange): Promise<ApiResponse> {
    const given = request.header('authorization') ?? '';
    if (!timingSafeEqual(hashOf(given.replace(/^bearer /i, '')), this.#tokenHash))
      throw forbiddenRequest(askedOf(user, info), 'it takes the token of the test server');
    const action = this.#actions.get(request.path.slice(adminPath.length + 1));
    if (action === undefined || request.method !== 'POST') throw unknownResource();
    const text = Buffer.from(await request.readBody(maxBodyBytes)).toString();
    const body = request.path.endsWith('/apply') ? {} : parsed(text);
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: `${await done(action, body, text)}\n`,
    };
  }

  #running(): TestServer {
    if (this.#server === undefined) throw badRequest('the test server has not started yet');
    return this.#server;
  }

  #snapshot(): object {
    const id = String(this.#snapshots.size + 1);
    this.#snapshots.set(id, this.#running().snapshot());
    return { snapshot: id };
  }

  async #reset({ snapshot }: JsonObject): Promise<void> {
    if (snapshot === undefined) return this.#running().reset();
    const known = this.#snapshots.get(String(snapshot));
    if (known === undefined) throw badRequest(`there is no snapshot ${JSON.stringify(snapshot)}`);
    return this.#running().reset(known);
  }

  async #fault({ fault, filter = {}, ...options }: JsonObject): Promise<object> {
    const { faults } = this.#running();
    const about = filterOf({ filter });
    checkOptions(fault, options);
    const turns = { nth: numberOf(options, 'nth', 1), times: numberOf(options, 'times', 1) };
    switch (fault) {
      case 'fail':
        return this.#planned(
          faults.fail(about, {
            ...turns,
            status: numberOf(options, 'status', 500),
            ...textsOf(options, 'reason', 'message'),
            ...numbersOf(options, 'retryAfterSeconds'),
          }),
        );
      case 'delay':
        return this.#planned(faults.delay(about, numberOf(options, 'ms', 0), turns));
      case 'drop':
        return this.#planned(
          faults.drop(about, { ...turns, what: options['what'] === 'answer' ? 'answer' : 'request' }),
        );
      case 'hits':
        return { hits: this.#faults.get(String(options['id']))?.hits ?? 0 };
      case 'endWatches':
        faults.endWatches(textsOf(options, 'resource'));
        return {};
      case 'expireWatches':
        faults.expireWatches(textsOf(options, 'resource'));
        return {};
      case 'compact':
        await faults.compact();
        return {};
      case 'expireTokens':
        faults.expireTokens();
        return {};
      case 'breakStore':
        faults.breakStore({ writesOnly: options['writesOnly'] === true });
        return {};
      case 'mendStore':
        faults.mendStore();
        return {};
      case 'clear':
        faults.clear();
        return {};
      default:
        throw badRequest(`${JSON.stringify(fault)} is no fault; use ${faultNames.join(', ')}`);
    }
  }

  #planned(fault: Fault): object {
    const id = String(this.#faults.size + 1);
    this.#faults.set(id, fault);
    return { id };
  }

  #clock({ pause, resume, advanceMs }: JsonObject): object {
    const { clock } = this.#running();
    const ms = typeof advanceMs === 'number' && advanceMs > 0 ? advanceMs : 0;
    if (pause === true) clock.pause();
    if (resume === true) clock.resume();
    // once this request is answered: it has a deadline of its own
    if (ms > 0) setImmediate(() => clock.advance(ms));
    return { now: new Date(clock.now() + ms).toISOString(), isPaused: clock.isPaused };
  }

  #user({ name, groups = [] }: JsonObject): object {
    if (typeof name !== 'string' || name === '' || !isTexts(groups))
      throw badRequest('a user has a name and a list of groups');
    return { kubeconfig: this.#running().asUser(name, groups).kubeconfigFile };
  }
}

const faultNames = [
  ...['fail', 'delay', 'drop', 'hits', 'endWatches', 'expireWatches', 'compact', 'expireTokens'],
  ...['breakStore', 'mendStore', 'clear'],
];

const hashOf = (text: string) => createHash('sha256').update(text).digest();

/** What goes wrong here is told in words: the caller is the test. */
async function done(action: Action, body: JsonObject, text: string): Promise<string> {
  try {
    return JSON.stringify(await action(body, text));
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw plainError(error instanceof Error ? error.message : String(error));
  }
}

function parsed(text: string): JsonObject {
  try {
    const value: unknown = text === '' ? {} : JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // said below
  }
  throw badRequest('the body must be a JSON object');
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

function filterOf({ filter = {} }: JsonObject): RequestFilter {
  const problem = filterProblem(filter);
  if (problem !== undefined) throw badRequest(problem);
  return filter as RequestFilter;
}

/** An option that is misspelt would be as if it was not given. */
function checkOptions(fault: unknown, options: JsonObject): void {
  const types = optionTypes.get(String(fault));
  const problem = types === undefined ? undefined : problemWith('fault', options, types);
  if (problem !== undefined) throw badRequest(problem);
}

const optionTypes: ReadonlyMap<string, ArgumentTypes> = new Map<string, ArgumentTypes>([
  ...Object.entries(faultTypes),
  ['delay', { ...faultTypes.delay, ms: number }],
  ['hits', { id: text }],
  ['endWatches', { resource: text }],
  ['expireWatches', { resource: text }],
  ['breakStore', { writesOnly: flag }],
]);

function numberOf(body: JsonObject, name: string, otherwise: number): number {
  return numbersOf(body, name)[name] ?? otherwise;
}

function numbersOf(body: JsonObject, name: string): Readonly<Record<string, number>> {
  const value = body[name];
  if (value === undefined) return {};
  if (typeof value !== 'number' || !(value >= 0)) throw badRequest(`${name} must be a number`);
  return { [name]: value };
}

function textsOf(body: JsonObject, ...names: readonly string[]): Readonly<Record<string, string>> {
  const given = names.filter((name) => body[name] !== undefined);
  const wrong = given.find((name) => typeof body[name] !== 'string');
  if (wrong !== undefined) throw badRequest(`${wrong} must be a text`);
  return Object.fromEntries(given.map((name) => [name, body[name] as string]));
}
