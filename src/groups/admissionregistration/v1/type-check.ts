// What the expressions of a validating policy mean for the types of objects that its rules name. On write nothing is known of those
// types; what is found here is a warning in the status. Loads the language: import it when there is a policy.

import { forEachInTurns } from '../../../base/time/turns.ts';
import { compile } from '../../../cel/compile.ts';
import type { Environment } from '../../../cel/environment.ts';
import { typeOfKind, typeOfStruct } from '../../../cel/schema-types.ts';
import { declareSchema } from '../../../cel/structural-types.ts';
import { type ObjectType as CelObjectType, type CelType, dyn, objectOf } from '../../../cel/types.ts';
import { formatApiVersion, type GroupVersionKind } from '../../../meta/group-version.ts';
import type { ObjectType } from '../../../schema/object-type.ts';
import type { Infer } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { admissionEnvironment, PolicyVariables } from './expression-environment.ts';
import type { namedRuleWithOperations } from './match-resources.ts';
import type { expressionWarning, ValidatingAdmissionPolicy } from './validating-admission-policy.ts';

/** A kind that is served, with the type of its objects. */
interface CheckedKind extends GroupVersionKind {
  readonly plural: string;
  readonly type: ObjectType;
}

export interface KindTypes {
  /** All that are served. */
  all(): Iterable<CheckedKind>;
  byKind(apiVersion: string, kind: string): CheckedKind | undefined;
}

type Warning = Infer<typeof expressionWarning>;
type Rule = Infer<typeof namedRuleWithOperations>;
type Spec = NonNullable<ValidatingAdmissionPolicy['spec']>;

/** Types that are looked at, at most. */
const mostTypes = 10;

/** Empty where no expression has a fault. A controller calls this: other requests are served between two expressions. */
export async function checkPolicyTypes(
  { spec = {} }: ValidatingAdmissionPolicy,
  types: KindTypes,
): Promise<readonly Warning[]> {
  const checkers: KindChecker[] = [];
  for (const kind of kindsToCheck(spec, types)) checkers.push(await checkerOf(spec, kind, types));
  const warnings: Warning[] = [];
  await forEachInTurns(expressionsOf(spec), ({ fieldRef, source }) => {
    const faults = checkers.flatMap((checker) => checker.check(source));
    if (faults.length > 0) warnings.push({ fieldRef, warning: faults.join('\n') });
  });
  return warnings;
}

const expressionsOf = ({ validations = [] }: Spec) =>
  validations.flatMap(({ expression = '', messageExpression = '' }, index) =>
    Object.entries({ expression, messageExpression })
      .filter(([, source]) => source !== '')
      .map(([field, source]) => ({ fieldRef: `spec.validations[${index}].${field}`, source })),
  );

/** Rules that name everything say nothing about types. */
function kindsToCheck({ matchConstraints }: Spec, types: KindTypes): readonly CheckedKind[] {
  const rules = matchConstraints?.resourceRules ?? [];
  const found = new Map<string, CheckedKind>();
  if (rules.length === 0) return [];
  const served = byPlural(types.all());
  for (const rule of rules) {
    const kinds = kindsOf(rule, served);
    for (const kind of kinds) found.set(formatKind(kind), kind);
    if (kinds.length === mostTypes) break;
  }
  return [...found.values()].sort(byName);
}

function byPlural(kinds: Iterable<CheckedKind>): ReadonlyMap<string, readonly CheckedKind[]> {
  const served = new Map<string, CheckedKind[]>();
  for (const kind of kinds) {
    const same = served.get(kind.plural);
    if (same === undefined) served.set(kind.plural, [kind]);
    else same.push(kind);
  }
  return served;
}

/** A kind, and the group by which a rule names it: the empty one stands for any. */
interface NamedKind {
  readonly by: string;
  readonly kind: CheckedKind;
}

/** What is served is looked for in the rule, and not each of the rule's combinations in what is served: those may be billions. */
function kindsOf(
  { apiGroups = [], apiVersions = [], resources = [] }: Rule,
  served: ReadonlyMap<string, readonly CheckedKind[]>,
): readonly CheckedKind[] {
  if ([...apiGroups, ...apiVersions].some((text) => text.includes('*'))) return [];
  const groups = new Set(apiGroups);
  const versions = new Set(apiVersions);
  const named: NamedKind[] = [];
  for (const plural of new Set(resources)) {
    for (const kind of served.get(plural) ?? []) {
      if (!versions.has(kind.version)) continue;
      if (groups.has('')) named.push({ by: '', kind });
      if (kind.group !== '' && groups.has(kind.group)) named.push({ by: kind.group, kind });
    }
  }
  const inOrder = named.sort((a, b) => (isBefore(placeOf(a), placeOf(b)) ? -1 : 1));
  return inOrder.slice(0, mostTypes).map(({ kind }) => kind);
}

const placeOf = ({ by, kind: { version, plural, group } }: NamedKind) => [by, version, plural, group];

function isBefore(left: readonly string[], right: readonly string[]): boolean {
  const at = left.findIndex((text, index) => text !== right[index]);
  return at >= 0 && (left[at] as string) < (right[at] as string);
}

function byName(a: CheckedKind, b: CheckedKind): number {
  const [left, right] = [a, b].map(({ group, version, kind }) => JSON.stringify([group, version, kind]));
  return (left as string) < (right as string) ? -1 : 1;
}

const formatKind = (kind: GroupVersionKind): string =>
  `${kind.group === '' ? '/' : ''}${formatApiVersion(kind)}, Kind=${kind.kind}`;

/** The expressions of a policy, with the objects of one type in mind. */
class KindChecker {
  readonly #kind: CheckedKind;
  readonly #environment: Environment;

  constructor(kind: CheckedKind, environment: Environment) {
    this.#kind = kind;
    this.#environment = environment;
  }

  check(source: string): readonly string[] {
    const compiled = compile(source, this.#environment);
    return 'errors' in compiled ? [`${formatKind(this.#kind)}: ${compiled.errors.message}\n`] : [];
  }
}

async function checkerOf(spec: Spec, kind: CheckedKind, types: KindTypes): Promise<KindChecker> {
  const variables = new PolicyVariables();
  const environment = admissionEnvironment({
    params: spec.paramKind !== undefined,
    authorizer: true,
    variables,
    types: { object: celTypeOf(kind.type), params: paramType(spec, types) },
  });
  await forEachInTurns(spec.variables ?? [], ({ name = '', expression = '' }) => {
    const compiled = compile(expression, environment);
    variables.add(name, 'program' in compiled ? compiled.program.type : undefined);
  });
  return new KindChecker(kind, environment);
}

function paramType({ paramKind }: Spec, types: KindTypes): CelType {
  const { apiVersion = '', kind = '' } = paramKind ?? {};
  const found = paramKind && types.byKind(apiVersion, kind);
  return found === undefined ? dyn : celTypeOf(found.type);
}

/** Whatever a schema says of it, the metadata of objects is known. */
const withMetadata = ({ fields }: CelObjectType): CelType =>
  objectOf({ name: fields.name, field: (name) => (name === 'metadata' ? metadata : fields.field(name)) });

const metadata = { type: typeOfStruct(objectMeta) };

/** Objects about whose fields nothing is known may hold anything. */
function celTypeOf(type: ObjectType): CelType {
  if (type.is === 'struct') return typeOfKind(type);
  const declared = type.schema && declareSchema(type.schema, true)?.type;
  return declared?.is === 'object' ? withMetadata(declared) : (declared ?? dyn);
}
