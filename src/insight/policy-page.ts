// /debug/keelson/policies: what a validating policy would decide about an object, a recorded request, or the last writes. It
// needs the right to create policies, and the rights to read what the policy sees.

import type { AdmissionEngines } from '../admission/engines.ts';
import type { Trial } from '../admission/policies/policy-trial.ts';
import { isJsonObject, type JsonObject } from '../base/json/json.ts';
import { loadedOnce } from '../base/loaded-once.ts';
import { yieldTurn } from '../base/time/turns.ts';
import { WorkMeter } from '../base/time/work-meter.ts';
import { parseJson } from '../codec/body.ts';
import { decodeObject } from '../codec/decode-object.ts';
import { json, type Routes } from '../discovery/routes.ts';
import type { ValidatingAdmissionPolicy } from '../groups/admissionregistration/v1/validating-admission-policy.ts';
import { type AccessControl, type Decision, resourceAccess } from '../meta/access.ts';
import { type Dialect, groupName } from '../meta/dialect.ts';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import type { ApiObject } from '../meta/object.ts';
import { badRequest, methodNotAllowed, tooManyRequests, unknownResource } from '../meta/status.ts';
import { create } from '../registry/create.ts';
import type { Resources, ServedResource } from '../registry/resources.ts';
import { type ReadRecord, subjectsIn, type TrialSubject } from './trial-subjects.ts';

const policiesPath = '/debug/keelson/policies';

/** No further write is tried once expressions have cost so much together: as much as a policy may cost for one object. */
const trialLimits = { bytes: 256 * 1024, cost: 10_000_000, parallel: 2 } as const;

interface PolicyPageParts {
  readonly resources: Resources;
  readonly access: AccessControl;
  readonly engines: AdmissionEngines;
  readonly dialect: Dialect;
  readonly readRecord: ReadRecord;
}

export interface TriedWrite extends Trial {
  readonly operation: string;
  readonly namespace: string;
  readonly name: string;
  /** The revision of the store, for writes that happened. */
  readonly revision?: number;
  /** Whose write it was; empty where that is not known. */
  readonly user: string;
}

export function addPolicyPage(routes: Routes, parts: PolicyPageParts): void {
  const page = new PolicyPage(parts);
  routes.addAbout(
    policiesPath,
    ({ user }) => resourceAccess({ user, verb: 'create', ...policyResource(parts.dialect) }),
    (exchange) => page.answer(exchange),
  );
}

const policyResource = (dialect: Dialect) => ({
  group: groupName(dialect, 'admissionregistration'),
  version: 'v1',
  resource: 'validatingadmissionpolicies',
});

/** The language is loaded with the first question. */
const loadTrial = loadedOnce(() => import('../admission/policies/policy-trial.ts'));

class PolicyPage {
  readonly #parts: PolicyPageParts;
  #running = 0;

  constructor(parts: PolicyPageParts) {
    this.#parts = parts;
  }

  async answer(exchange: Exchange): Promise<ApiResponse> {
    if (exchange.request.method !== 'POST') throw methodNotAllowed();
    const question = bodyOf(await exchange.readBody(trialLimits.bytes));
    if (this.#running >= trialLimits.parallel) throw tooManyRequests(1);
    this.#running++;
    try {
      return json(await this.#try(exchange, question));
    } finally {
      this.#running--;
    }
  }

  async #try(exchange: Exchange, question: JsonObject) {
    const { engines, access } = this.#parts;
    const { spec = {} } = await this.#policyIn(exchange, question['policy']);
    const { subjects, isCut } = await subjectsIn(exchange, question, this.#parts);
    const { PolicyTrial } = await loadTrial();
    const may = async (verb: string, group: string, resource: string) =>
      (await access.decide(resourceAccess({ user: exchange.user, verb, group, version: 'v1', resource }))).kind ===
      'allow';
    const showsNamespaces = await may('get', '', 'namespaces');
    if (!showsNamespaces && selectsNamespaces(spec)) {
      // the outcome would tell the labels of namespaces
      throw badRequest('namespaceSelector needs the right to get namespaces');
    }
    // expressions may ask for the rights of any user
    const asksForRights = await may('create', groupName(this.#parts.dialect, 'authorization'), 'subjectaccessreviews');
    const trial = new PolicyTrial(spec, {
      engines,
      access: asksForRights ? access : { decide: () => noAnswer },
      params: question['params'],
      meter: new WorkMeter(() => exchange.moveIfPossible()),
    });
    const writes: TriedWrite[] = [];
    let cost = 0;
    for (const subject of subjects) {
      if (cost >= trialLimits.cost) break;
      await yieldTurn();
      exchange.throwIfEnded();
      const namespace = showsNamespaces ? await this.#namespaceOf(subject) : undefined;
      const tried = await trial.decide(subject.request, namespace);
      cost += tried.cost;
      writes.push({ ...subject.shown, ...tried });
    }
    return { writes, cost, isCut: isCut || writes.length < subjects.length, showsNamespaces, asksForRights };
  }

  async #namespaceOf({ request: { namespace } }: TrialSubject): Promise<ApiObject | undefined> {
    if (namespace === '') return undefined;
    const namespaces = { group: '', version: 'v1', resource: 'namespaces' };
    return this.#parts.engines.objects.get(namespaces, { namespace: '', name: namespace });
  }

  /** The policy as it would be stored; throws what its create would be refused with. */
  async #policyIn({ user }: Exchange, value: unknown): Promise<ValidatingAdmissionPolicy> {
    const { registry, definition } = this.#served();
    if (!isJsonObject(value as never)) throw badRequest('policy: a ValidatingAdmissionPolicy is expected');
    const trial = { ...(value as JsonObject), metadata: { generateName: 'trial-' } };
    const { object } = decodeObject(definition, trial);
    const complete = registry.strategy.defaults?.(object, registry.context) ?? object;
    const made = await create(registry, complete, { dryRun: true, user });
    return made.parse() as ValidatingAdmissionPolicy;
  }

  #served(): ServedResource {
    const { resources, dialect } = this.#parts;
    const { group, version, resource } = policyResource(dialect);
    const served = resources.find(group, version, resource);
    if (served === undefined) throw unknownResource();
    return served;
  }
}

function selectsNamespaces({ matchConstraints }: NonNullable<ValidatingAdmissionPolicy['spec']>): boolean {
  const { matchLabels = {}, matchExpressions = [] } = matchConstraints?.namespaceSelector ?? {};
  return Object.keys(matchLabels).length + matchExpressions.length > 0;
}

const noAnswer: Decision = { kind: 'noOpinion', reason: 'the author of the policy may not ask for rights' };

function bodyOf(bytes: Uint8Array): JsonObject {
  const { value } = parseJson(bytes);
  if (!isJsonObject(value)) throw badRequest('the body must be an object');
  return value;
}
