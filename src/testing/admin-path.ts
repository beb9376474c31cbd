// The test kit for programs in other languages: what a test asks for over HTTP, with the token of the test server only.

import { createHash, timingSafeEqual } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../base/json/json.ts';
import { RequestError } from '../client/client.ts';
import { parseJson } from '../codec/body.ts';
import { OptionError } from '../config/option-error.ts';
import { maxBodyBytes } from '../meta/body-limits.ts';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import { forbiddenRequest } from '../meta/forbidden-request.ts';
import { askedOf } from '../meta/require-access.ts';
import { ApiError, badRequest, plainError, plannedFailure, unknownResource } from '../meta/status.ts';
import { type DropOptions, type Fault, faultTypes } from './faults.ts';
import { type ArgumentTypes, flag, number, problemWith, text } from './given-options.ts';
import { filterProblem, type RequestFilter } from './request-filter.ts';
import type { TestServer, TestSnapshot } from './test-server.ts';

/** Where it is; nothing of a cluster is below it. */
export const adminPath = '/keelson-test';

/** Planned in the life of one server; each is kept to report its hits. */
const maxFaults = 10_000;
/** Each may hold the objects of its time. */
const maxSnapshots = 1000;

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
      snapshot: (body) => this.#snapshot(body),
      reset: async (body) => {
        await this.#reset(body);
        return {};
      },
      faults: (body) => this.#fault(body),
      clock: (body) => this.#clock(body),
      journal: (body) => {
        checkNames(body, 'filter');
        return { requests: this.#running().journal.requests(filterOf(body)) };
      },
      users: (body) => this.#user(body),
    };
    this.#actions = new Map(Object.entries(actions));
  }

  /** Sets the server; before this, all requests fail. */
  serves(server: TestServer): void {
    this.#server = server;
  }

  isFor({ request: { path } }: Exchange): boolean {
    return path === adminPath || path.startsWith(`${adminPath}/`);
  }

  /** Other users have no business here, whatever roles grant them. */
  async answer({ request, user, info }: Exchange): Promise<ApiResponse> {
    const authorization = request.header('authorization') ?? '';
    if (!timingSafeEqual(hashOf(authorization.replace(/^bearer /i, '')), this.#tokenHash))
      throw forbiddenRequest(askedOf(user, info), 'it takes the token of the test server');
    const action = this.#actions.get(request.path.slice(adminPath.length + 1));
    if (action === undefined || request.method !== 'POST') throw unknownResource();
    const bytes = await request.readBody(maxBodyBytes);
    const text = Buffer.from(bytes).toString();
    const body = request.path.endsWith('/apply') ? {} : parsed(bytes);
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

  #snapshot(body: JsonObject): object {
    checkNames(body);
    if (this.#snapshots.size >= maxSnapshots) throw badRequest(`there are ${maxSnapshots} snapshots already`);
    const id = String(this.#snapshots.size + 1);
    this.#snapshots.set(id, this.#running().snapshot());
    return { snapshot: id };
  }

  async #reset(body: JsonObject): Promise<void> {
    checkNames(body, 'snapshot');
    const { snapshot: id } = textsOf(body, 'snapshot');
    if (id === undefined) return this.#running().reset();
    const stored = this.#snapshots.get(id);
    if (stored === undefined) throw badRequest(`there is no snapshot ${shownText(id)}`);
    return this.#running().reset(stored);
  }

  async #fault({ fault, filter = {}, ...options }: JsonObject): Promise<object> {
    const { faults } = this.#running();
    const about = filterOf({ filter });
    checkOptions(fault, options);
    const limits = { nth: numberOf(options, 'nth', 1), times: numberOf(options, 'times', 1) };
    switch (fault) {
      case 'fail':
        return this.#planned(
          faults.fail(about, {
            ...limits,
            status: numberOf(options, 'status', 500),
            ...textsOf(options, 'reason', 'message'),
            ...numbersOf(options, 'retryAfterSeconds'),
          }),
        );
      case 'delay':
        return this.#planned(faults.delay(about, numberOf(options, 'ms', 0), limits));
      case 'drop':
        return this.#planned(faults.drop(about, { ...limits, ...(textsOf(options, 'what') as DropOptions) }));
      case 'throttle':
        return this.#planned(faults.throttle(about, { ...limits, ...numbersOf(options, 'retryAfterSeconds') }));
      case 'expireLists':
        return this.#planned(faults.expireLists(about, limits));
      case 'slowBodies':
        return this.#planned(faults.slowBodies(about, { ...limits, ...numbersOf(options, 'bytesPerSecond') }));
      case 'dropWatches':
        return { hits: faults.dropWatches(textsOf(options, 'resource')) };
      case 'hits':
        return { hits: this.#plannedFault(options).hits };
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
        throw badRequest(`${shownText(fault)} is no fault; use ${faultNames.join(', ')}`);
    }
  }

  #plannedFault(body: JsonObject): Fault {
    const { id = '' } = textsOf(body, 'id');
    const fault = this.#faults.get(id);
    if (fault === undefined) throw badRequest(`there is no fault with the id ${shownText(id)}`);
    return fault;
  }

  #planned(fault: Fault): object {
    if (this.#faults.size >= maxFaults) {
      fault.cancel();
      throw badRequest(`${maxFaults} faults were planned already`);
    }
    const id = String(this.#faults.size + 1);
    this.#faults.set(id, fault);
    return { id };
  }

  #clock(body: JsonObject): object {
    checkNames(body, 'pause', 'resume', 'advanceMs');
    const { clock } = this.#running();
    const pause = flagOf(body, 'pause');
    const resume = flagOf(body, 'resume');
    if (pause && resume) throw badRequest('the clock cannot pause and resume at once');
    const ms = numberOf(body, 'advanceMs', 0);
    clock.checkAdvance(ms);
    if (pause) clock.pause();
    if (resume) clock.resume();
    // once this request is answered: it has its own deadline
    if (ms > 0) setImmediate(() => clock.advance(ms));
    return { now: new Date(clock.now() + ms).toISOString(), isPaused: clock.isPaused };
  }

  #user(body: JsonObject): object {
    checkNames(body, 'name', 'groups');
    const { name, groups = [] } = body;
    if (typeof name !== 'string' || name === '' || !isTexts(groups))
      throw badRequest('a user has a name and a list of groups');
    return { kubeconfig: this.#running().asUser(name, groups).kubeconfigFile };
  }
}

const faultNames = [
  ...[
    'fail',
    'delay',
    'drop',
    'throttle',
    'expireLists',
    'slowBodies',
    'dropWatches',
    'hits',
    'endWatches',
    'expireWatches',
    'compact',
    'expireTokens',
  ],
  ...['breakStore', 'mendStore', 'clear'],
];

const hashOf = (text: string) => createHash('sha256').update(text).digest();

/** Errors have the message that the kit has in JavaScript: the caller is the test. */
async function done(action: Action, body: JsonObject, text: string): Promise<string> {
  try {
    return JSON.stringify(await action(body, text));
  } catch (error) {
    throw answerFor(error);
  }
}

/** A mistake of the caller is 400. What the server refused has the code of that answer. */
function answerFor(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof OptionError) return badRequest(message);
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof RequestError)) return plainError(message);
  const { code, reason } = cause;
  return isUnfit(cause) ? badRequest(message) : plannedFailure({ code, reason, message });
}

/** An API server answers 500 to an apply of an object that does not fit its type. */
const isUnfit = ({ code, told }: RequestError) =>
  code === 500 && told.startsWith('failed to create typed patch object');

function parsed(bytes: Uint8Array): JsonObject {
  if (bytes.length === 0) return {};
  const value = readValue(bytes);
  if (!isJsonObject(value)) throw notJson();
  return value;
}

function readValue(bytes: Uint8Array): unknown {
  try {
    return parseJson(bytes).value;
  } catch (error) {
    throw error instanceof ApiError ? badRequest(error.message) : notJson();
  }
}

const notJson = () => badRequest('the body must be a JSON object');

/** Part of what the caller sent, for a message. */
const shownText = (value: unknown): string => String(JSON.stringify(value)).slice(0, 100);

function checkNames(body: JsonObject, ...names: readonly string[]): void {
  const unknown = Object.keys(body).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const hint = names.length === 0 ? 'none is expected' : `use ${names.join(', ')}`;
  throw badRequest(`the body has an unknown field ${shownText(unknown)}; ${hint}`);
}

function flagOf(body: JsonObject, name: string): boolean {
  const value = body[name] ?? false;
  if (typeof value !== 'boolean') throw badRequest(`${name} must be true or false`);
  return value;
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
  ['dropWatches', { resource: text }],
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
  const presentNames = names.filter((name) => body[name] !== undefined);
  const wrong = presentNames.find((name) => typeof body[name] !== 'string');
  if (wrong !== undefined) throw badRequest(`${wrong} must be a text`);
  return Object.fromEntries(presentNames.map((name) => [name, body[name] as string]));
}
