// Sends manifests to a server in this process, in an order in which they find each other, and collects findings of the answers.

import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import type { Dialect } from '../../meta/dialect.ts';
import type { UserInfo } from '../../meta/user.ts';
import { inApplyOrder, isReadByServer, parameterKindsOf } from '../manifests/apply-order.ts';
import type { LocalAnswer, LocalServer, ObjectPath } from '../manifests/local-server.ts';
import type { ManifestObject, Manifests } from '../manifests/read-manifests.ts';
import { type Finding, findingOf, findingOfFault, sortedFindings, titleOf } from './finding.ts';
import { findingsOf } from './findings-of-answer.ts';
import { findingOfUnservedKind } from './unserved-kind.ts';

export interface CheckInput {
  /** Created by the administrator, before the others where both are of one kind. */
  readonly setup: Manifests;
  readonly subject: Manifests;
  /** Creates the objects of `subject`; the administrator when not given. */
  readonly user?: UserInfo | undefined;
  readonly dialect: Dialect;
}

export interface CheckResult {
  /** In the order of files and lines. */
  readonly findings: readonly Finding[];
  /** The objects of `subject`, in the order in which they were read. */
  readonly objects: readonly ManifestObject[];
}

export async function checkManifests(server: LocalServer, input: CheckInput): Promise<CheckResult> {
  const check = new Check(server, input);
  await check.run();
  return { findings: sortedFindings(check.findings), objects: input.subject.objects };
}

/** What stored objects of a kind would do to later requests, and how that is kept from happening. */
interface StoringRule {
  /** Another form of the object to store. */
  stored?(value: JsonObject): JsonObject;
  /** Stored where the object is refused, so that those that need it are checked too. */
  replacement?(name: string): JsonObject;
  /** Not stored: the server would call programs that do not run. */
  readonly isCheckedOnly?: true;
}

const storingRules: Readonly<Record<string, StoringRule>> = {
  ValidatingWebhookConfiguration: { isCheckedOnly: true },
  MutatingWebhookConfiguration: { isCheckedOnly: true },
  APIService: { isCheckedOnly: true },
  Namespace: { replacement: bareNamespace },
  // conversion webhooks do not run
  CustomResourceDefinition: { stored: withoutConversion },
};

function bareNamespace(name: string): JsonObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

function withoutConversion(definition: JsonObject): JsonObject {
  const { spec } = definition;
  if (!isJsonObject(spec) || !isJsonObject(spec['conversion'])) return definition;
  return { ...definition, spec: { ...spec, conversion: { strategy: 'None' } } };
}

/** Definitions are served within milliseconds of their creation, or have a condition that names a problem. */
const servedAfterMs = [100, 3000] as const;

const query = 'fieldValidation=Warn&fieldManager=keelson';

class Check {
  readonly findings: Finding[] = [];
  readonly #server: LocalServer;
  readonly #input: CheckInput;
  readonly #subject: ReadonlySet<ManifestObject>;
  readonly #seen = new Map<string, ManifestObject>();
  readonly #namespaces = new Set<string>();
  /** Kinds of objects whose controllers may have something left to do. */
  readonly #unsettled = new Set<string>();

  /** Objects that nothing else is checked by are sent with `dryRun`, which is faster. */
  #isNeeded: (object: ManifestObject) => boolean = () => true;

  constructor(server: LocalServer, input: CheckInput) {
    this.#server = server;
    this.#input = input;
    this.#subject = new Set(input.subject.objects);
  }

  async run(): Promise<void> {
    const { setup, subject } = this.#input;
    for (const fault of [...setup.faults, ...subject.faults]) this.findings.push(findingOfFault(fault));
    const objects = inApplyOrder([...setup.objects, ...subject.objects]);
    const parameterKinds = parameterKindsOf(objects);
    if (!objects.some(({ kind }) => kind === 'ResourceQuota'))
      this.#isNeeded = (object) => isReadByServer(object) || parameterKinds.has(`${object.apiVersion} ${object.kind}`);
    for (const { kind, name } of objects) if (kind === 'Namespace') this.#namespaces.add(name);
    for (const object of objects) await this.#checkObject(object);
    await this.#checkExpressions(objects.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy'));
  }

  async #checkObject(object: ManifestObject): Promise<void> {
    const path = this.#server.pathOf(object);
    if (path === undefined) {
      this.findings.push(findingOfUnservedKind(object, this.#input.dialect));
      return;
    }
    if (this.#isDuplicate(object)) return;
    await this.#ensureNamespace(object);
    await this.#settle(object);
    const { stored, replacement, isCheckedOnly = false } = storingRules[object.kind] ?? {};
    const value = stored?.(object.value) ?? object.value;
    const isOther = value !== object.value;
    const isDry = isCheckedOnly || isOther || !this.#isNeeded(object);
    const answer = await this.#create(object, path, object.value, isDry);
    if (answer.status >= 400) {
      if (replacement !== undefined) await this.#post(path, replacement(object.name), undefined, false);
      return;
    }
    if (isOther) await this.#post(path, value, undefined, false);
    this.#unsettled.add(object.kind);
    await this.#checkServed(object, path);
  }

  #isDuplicate(object: ManifestObject): boolean {
    const { apiVersion, kind, name } = object;
    if (name === '') return false;
    const [group] = apiVersion.includes('/') ? apiVersion.split('/') : [''];
    const key = JSON.stringify([group, kind, this.#server.namespaceOf(object), name]);
    const first = this.#seen.get(key);
    this.#seen.set(key, first ?? object);
    if (first === undefined) return false;
    const message = `${titleOf(object)} is there twice, first at ${first.file}:${first.find('').line}`;
    this.findings.push(findingOf(object, { rule: 'duplicate-object', field: 'metadata.name', message }));
    return true;
  }

  /** A namespace that no manifest has may be in the cluster: it is assumed to have no labels. */
  async #ensureNamespace(object: ManifestObject): Promise<void> {
    const name = this.#server.namespaceOf(object);
    if (name === '' || this.#namespaces.has(name)) return;
    this.#namespaces.add(name);
    const body = bareNamespace(name);
    const { status } = await this.#server.send({ method: 'POST', path: '/api/v1/namespaces', body });
    if (status !== 201) return;
    this.#unsettled.add('Namespace');
    const message = `namespace ${name} is not among the manifests; one without labels is assumed`;
    this.findings.push(
      findingOf(object, { level: 'note', rule: 'assumed-namespace', field: 'metadata.namespace', message }),
    );
  }

  /** Quotas apply once they have a status, and pods need the service account of their namespace. */
  async #settle({ kind }: ManifestObject): Promise<void> {
    const needsQuotas = this.#unsettled.has('ResourceQuota') && kind !== 'ResourceQuota';
    const needsAccounts = this.#unsettled.has('Namespace') && kind === 'Pod';
    if (!needsQuotas && !needsAccounts) return;
    await this.#server.settled();
    this.#unsettled.clear();
  }

  /** Also adds the findings. An object that the user may not create is created by the administrator, so that others find it. */
  async #create(object: ManifestObject, path: ObjectPath, value: JsonObject, isDry: boolean): Promise<LocalAnswer> {
    const user = this.#subject.has(object) ? this.#input.user : undefined;
    const answer = await this.#post(path, value, user, isDry);
    this.findings.push(...findingsOf(object, answer));
    if (answer.status !== 403 || user === undefined) return answer;
    const second = await this.#post(path, value, undefined, isDry);
    this.findings.push(...findingsOf(object, second));
    return second;
  }

  /** An object that every cluster has, such as the namespace `default`, is replaced. */
  async #post(path: ObjectPath, value: JsonObject, user: UserInfo | undefined, isDry: boolean): Promise<LocalAnswer> {
    const options = `${query}${isDry ? '&dryRun=All' : ''}`;
    const created = await this.#server.send({
      method: 'POST',
      path: `${path.collection}?${options}`,
      body: value,
      user,
    });
    if (created.status !== 409 || created.body['reason'] !== 'AlreadyExists') return created;
    const { body } = await this.#server.send({ method: 'GET', path: path.object });
    const { resourceVersion = '' } = body['metadata'] as { resourceVersion?: string };
    const replaced = { ...value, metadata: { ...(value['metadata'] as JsonObject), resourceVersion } };
    return this.#server.send({ method: 'PUT', path: `${path.object}?${options}`, body: replaced, user });
  }

  async #checkServed(object: ManifestObject, path: ObjectPath): Promise<void> {
    for (const timeoutMs of servedAfterMs) {
      if (await this.#server.definitionServed(object, timeoutMs)) return;
      const { body } = await this.#server.send({ method: 'GET', path: path.object });
      const { conditions } = (body['status'] ?? {}) as { conditions?: readonly Condition[] | null };
      // a definition that is about to be established is not yet
      const problem = conditions?.find(({ type, status }) => status === 'False' && type !== 'Established')?.message;
      const isLast = timeoutMs === servedAfterMs.at(-1);
      if (problem === undefined && !isLast) continue;
      const message = problem ?? 'the definition is not served';
      this.findings.push(findingOf(object, { rule: 'definition', field: 'spec.names', message }));
      return;
    }
  }

  /** The server checks the types of expressions after a policy is stored. */
  async #checkExpressions(policies: readonly ManifestObject[]): Promise<void> {
    if (policies.length === 0) return;
    await this.#server.settled();
    for (const policy of policies) {
      const path = this.#server.pathOf(policy)?.object ?? '';
      const { body } = await this.#server.send({ method: 'GET', path });
      const { typeChecking = {} } = (body['status'] ?? {}) as PolicyStatus;
      for (const { fieldRef: field = '', warning: message = '' } of typeChecking.expressionWarnings ?? [])
        this.findings.push(findingOf(policy, { level: 'warning', rule: 'policy-expression', field, message }));
    }
  }
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

interface PolicyStatus {
  readonly typeChecking?: {
    readonly expressionWarnings?: readonly { readonly fieldRef?: string; readonly warning?: string }[];
  };
}
