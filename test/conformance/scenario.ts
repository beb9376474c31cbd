// Scenarios are data: requests in order, written in YAML. This file reads them, and repeats those that are meant for
// every kind.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { JsonObject } from '../../src/base/json/json.ts';

export interface Step {
  /** Method and path, such as `GET {core}/configmaps`; words in braces are variables. */
  readonly request: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Short for the content types of patches: apply, json, merge, strategic. */
  readonly patch?: keyof typeof patchTypes;
  /** Short for the media type that is asked for: table, protobuf. */
  readonly accept?: keyof typeof mediaTypes;
  /** Short for the headers of impersonation. */
  readonly as?: { readonly user: string; readonly groups?: readonly string[] };
  /** Sent as JSON; a text as it is. */
  readonly body?: unknown;
  /** In files only: the request is sent for each of them, which is `{value}` in it. */
  readonly values?: readonly unknown[];
  /** Merged into the body. */
  readonly with?: JsonObject;
  /** Variables for later steps, by the path of their value in the answer. */
  readonly capture?: Readonly<Record<string, string>>;
  /** Repeats the request until the values at these paths are there (or equal `status`). */
  readonly until?: Readonly<Record<string, unknown>>;
  /** Sent, but not compared: it prepares what follows. */
  readonly setup?: boolean;
  /** The parts of the body that are compared; all when absent. */
  readonly only?: readonly string[];
  /** Paths whose values differ from run to run. */
  readonly mask?: readonly string[];
  /** Paths of lists whose order means nothing. */
  readonly unordered?: readonly string[];
  /** A watch: what happens while it is open, and how many events are awaited. */
  readonly watch?: { readonly events: number; readonly during?: readonly Step[] };
}

export interface Scenario {
  readonly area: string;
  readonly name: string;
  /** `{ns}` is a namespace for it when absent, one for all that share it, or none. */
  readonly namespace?: 'own' | 'shared' | 'none';
  /** Labels of its namespace. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

interface Template extends Omit<Scenario, 'area'> {
  /** Repeated for each kind of kinds.yaml that has these properties. */
  readonly each?: { readonly kind: readonly string[] };
}

type Kind = Readonly<Record<string, unknown>>;

export const patchTypes = {
  apply: 'application/apply-patch+yaml',
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

export const mediaTypes = {
  table: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
  protobuf: 'application/vnd.kubernetes.protobuf',
};

const folder = import.meta.dirname;
export const scenarioFolder = join(folder, 'scenarios');

const readYaml = (file: string): unknown => parse(readFileSync(file, 'utf8'), { merge: true, maxAliasCount: -1 });

/** Every area that has a file, in the order of their names. */
export function areas(from = scenarioFolder): readonly string[] {
  return readdirSync(from)
    .filter((file) => file.endsWith('.yaml') && file !== 'kinds.yaml')
    .map((file) => file.slice(0, -'.yaml'.length))
    .sort();
}

export function loadArea(area: string, from = scenarioFolder): readonly Scenario[] {
  const templates = readYaml(join(from, `${area}.yaml`)) as readonly Template[];
  const all = templates.map(withEachValue).flatMap((template) => expand(area, template, from));
  const names = new Set(all.map(({ name }) => name));
  if (names.size !== all.length) throw new Error(`${area}: two scenarios have the same name`);
  return all;
}

function withEachValue(template: Template): Template {
  return {
    ...template,
    steps: template.steps.flatMap(({ values, ...step }) =>
      values === undefined ? [step] : values.map((value) => substitute(step, { value }) as Step),
    ),
  };
}

function expand(area: string, template: Template, from: string): readonly Scenario[] {
  const { each, ...scenario } = template;
  if (each === undefined) return [{ ...scenario, area }];
  const kinds = (readYaml(join(from, 'kinds.yaml')) as readonly Kind[]).filter((kind) =>
    each.kind.every((property) => isSet(kind, property)),
  );
  return kinds.map((kind) => {
    const values = valuesOf(kind);
    const steps = scenario.steps.map((step) => substitute(step, values)) as Step[];
    const namespace = scenario.namespace ?? namespaceOf(kind);
    return {
      ...scenario,
      namespace,
      area,
      name: `${scenario.name} ${String(values['plural'])}.${String(values['apiVersion'])}`,
      steps,
    };
  });
}

/** Kinds that change what happens to others in their namespace get one of their own. */
function namespaceOf({ cluster, alone }: Kind): 'own' | 'shared' | 'none' {
  if (cluster === true) return 'none';
  return alone === true ? 'own' : 'shared';
}

/** A property, or with `!` before it that it is absent. */
function isSet(kind: Kind, property: string): boolean {
  return property.startsWith('!') ? kind[property.slice(1)] === undefined : kind[property] !== undefined;
}

/** What a template may name of a kind: its properties, where its objects are, and a whole object. */
function valuesOf(kind: Kind): Kind {
  const { apiVersion, kind: name, cluster, name: given = '{u}', metadata = {}, body = {} } = kind;
  const root = String(apiVersion).includes('/') ? `/apis/${String(apiVersion)}` : `/api/${String(apiVersion)}`;
  const plural = kind['plural'] ?? `${String(name).toLowerCase()}s`;
  const collection = `${root}${cluster === true ? '' : '/namespaces/{ns}'}/${String(plural)}`;
  const meta = { name: given, ...(metadata as object) };
  const object = { apiVersion, kind: name, metadata: meta, ...(body as object) };
  const bare = { apiVersion, kind: name, metadata: { name: given } };
  const wrongObject = { ...bare, ...(kind['wrong'] as object) };
  return {
    settles: { kind: name },
    ...kind,
    plural,
    collection,
    path: `${collection}/${String(given)}`,
    object,
    bare,
    wrongObject,
  };
}

/** Variables in braces are replaced, also in keys; a text that is one variable becomes its value, whatever type that has. */
export function substitute(value: unknown, variables: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === 'string') return substituteText(value, variables);
  if (Array.isArray(value)) return value.map((item) => substitute(item, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [String(substituteText(key, variables)), substitute(item, variables)]),
  );
}

const variable = /\{([A-Za-z]\w*)\}/g;
const wholeVariable = /^\{([A-Za-z]\w*)\}$/;

function substituteText(text: string, variables: Readonly<Record<string, unknown>>): unknown {
  const whole = wholeVariable.exec(text)?.[1];
  if (whole !== undefined && Object.hasOwn(variables, whole)) return substitute(variables[whole], {});
  return text.replace(variable, (match, name: string) =>
    Object.hasOwn(variables, name) ? String(variables[name]) : match,
  );
}
