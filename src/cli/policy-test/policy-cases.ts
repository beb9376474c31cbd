// The tables of `keelson policy test`: read, and checked before anything runs.

import { dirname, join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { suggestion } from '../../base/text/nearest-name.ts';
import { readYamlDocuments } from '../../codec/yaml-documents.ts';
import { type ManifestObject, readManifests } from '../manifests/read-manifests.ts';
import { UsageError } from '../usage-error.ts';

export interface PolicyCase {
  readonly name: string;
  readonly line: number;
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;
  readonly user: { readonly name: string; readonly groups: readonly string[] };
  /** Labels of the namespace of the object. */
  readonly namespaceLabels: JsonObject;
  readonly params: readonly JsonObject[];
  readonly expect: 'allow' | 'deny';
  /** A part of the message of the refusal. */
  readonly message: string | undefined;
  /** Each is a part of a warning. */
  readonly warnings: readonly string[];
  /** A part of the object after mutating policies. */
  readonly result: JsonObject | undefined;
}

export interface PolicyTable {
  readonly policies: readonly ManifestObject[];
  /** What else the cluster has. */
  readonly manifests: readonly ManifestObject[];
  readonly cases: readonly PolicyCase[];
}

/** Throws a UsageError for a table that cannot be used. */
export async function readPolicyTable(file: string, text: string): Promise<PolicyTable> {
  const { documents, fault } = await readYamlDocuments(text);
  if (fault !== undefined) throw new UsageError(`${file}:${fault.position.line}: ${fault.message}`);
  const [document] = documents;
  const fail = (path: string, problem: string): never => {
    throw new UsageError(`${file}:${document?.text.find(path).line ?? 1}: ${problem}`);
  };
  const table = document?.value;
  if (!isJsonObject(table)) return fail('', 'it is not a table with policies and cases');
  checkKeys(table, ['policies', 'manifests', 'cases'], '', fail);
  const { cases } = table;
  if (!Array.isArray(cases) || cases.length === 0) return fail('cases', 'cases: a list is needed');
  const paths = (key: string) => strings(table[key], key, fail).map((path) => join(dirname(file), path));
  const policies = await objectsOf(paths('policies'));
  if (policies.length === 0) fail('policies', 'policies: files or folders are needed');
  return {
    policies,
    manifests: await objectsOf(paths('manifests')),
    cases: cases.map((item, index) => ({
      ...readCase(item, `cases[${index}]`, fail),
      line: document?.text.find(`cases[${index}]`).line ?? 1,
    })),
  };
}

type Fail = (path: string, problem: string) => never;

async function objectsOf(paths: readonly string[]): Promise<readonly ManifestObject[]> {
  const { objects, faults } = await readManifests(paths);
  const [fault] = faults;
  if (fault !== undefined) throw new UsageError(`${fault.file}:${fault.position.line}: ${fault.message}`);
  return objects;
}

const caseKeys = [
  'name',
  'object',
  'oldObject',
  'user',
  'namespace',
  'params',
  'expect',
  'message',
  'warnings',
  'result',
];

function readCase(value: unknown, path: string, fail: Fail): Omit<PolicyCase, 'line'> {
  if (!isJsonObject(value)) return fail(path, 'a case is an object');
  checkKeys(value, caseKeys, path, fail);
  const { name, expect: expectation, message, namespace = {}, user = {}, params = [] } = value;
  if (typeof name !== 'string') return fail(path, 'name: a text is needed');
  if (expectation !== 'allow' && expectation !== 'deny')
    return fail(`${path}.expect`, 'expect: allow or deny is needed');
  if (value['object'] === undefined && value['oldObject'] === undefined)
    return fail(path, 'object: an object is needed, or oldObject for a delete');
  if (message !== undefined && typeof message !== 'string') return fail(`${path}.message`, 'message: a text is needed');
  if (!isJsonObject(user)) return fail(`${path}.user`, 'user: an object with name and groups is needed');
  if (!isJsonObject(namespace)) return fail(`${path}.namespace`, 'namespace: an object with labels is needed');
  checkKeys(user, ['name', 'groups'], `${path}.user`, fail);
  checkKeys(namespace, ['labels'], `${path}.namespace`, fail);
  return {
    ...{ name, message, expect: expectation },
    object: optionalObject(value, 'object', path, fail),
    oldObject: optionalObject(value, 'oldObject', path, fail),
    result: optionalObject(value, 'result', path, fail),
    user: { name: String(user['name'] ?? 'tester'), groups: strings(user['groups'], `${path}.user.groups`, fail) },
    namespaceLabels: optionalObject(namespace, 'labels', `${path}.namespace`, fail) ?? {},
    params: [params].flat().filter(isJsonObject),
    warnings: strings(value['warnings'], `${path}.warnings`, fail),
  };
}

function optionalObject(parent: JsonObject, key: string, path: string, fail: Fail): JsonObject | undefined {
  const value = parent[key];
  if (value === undefined) return undefined;
  return isJsonObject(value) ? value : fail(`${path}.${key}`, `${key}: an object is needed`);
}

function strings(value: unknown, path: string, fail: Fail): readonly string[] {
  const items = value === undefined ? [] : [value].flat();
  return items.every((item) => typeof item === 'string') ? items : fail(path, `${path}: a list of texts is needed`);
}

function checkKeys(value: JsonObject, keys: readonly string[], path: string, fail: Fail): void {
  const unknown = Object.keys(value).find((key) => !keys.includes(key));
  if (unknown === undefined) return;
  const hint = suggestion(unknown, keys) || `; use ${keys.join(', ')}`;
  fail(`${path === '' ? '' : `${path}.`}${unknown}`, `there is no ${JSON.stringify(unknown)} here${hint}`);
}
