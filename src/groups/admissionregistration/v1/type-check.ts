// What the expressions of a validating policy mean for the types of objects that its rules name. On write nothing is known of those
// types; what is found here is a warning in the status. Loads the language: import it when there is a policy.

import type { Steps } from '../../../base/steps.ts';
import { compiling } from '../../../cel/compile.ts';
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
  readonly type: ObjectType;
}

export interface KindTypes {
  /** Of any group where that is empty. */
  byResource(group: string, version: string, plural: string): readonly CheckedKind[];
  byKind(apiVersion: string, kind: string): CheckedKind | undefined;
}

type Warning = Infer<typeof expressionWarning>;
type Rule = Infer<typeof namedRuleWithOperations>;
type Spec = NonNullable<ValidatingAdmissionPolicy['spec']>;

/** Types that are looked at, at most. */
const mostTypes = 10;

/** Empty where nothing can be found fault with. */
export function* checkPolicyTypes({ spec = {} }: ValidatingAdmissionPolicy, types: KindTypes): Steps<Warning[]> {
  const kinds = kindsToCheck(spec, types);
  const checkers: KindChecker[] = [];
  for (const kind of kinds) checkers.push(yield* checkerOf(spec, kind, types));
  const warnings: Warning[] = [];
  for (const [index, { expression = '', messageExpression = '' }] of (spec.validations ?? []).entries()) {
    for (const [field, source] of Object.entries({ expression, messageExpression })) {
      if (source === '') continue;
      const found: string[] = [];
      for (const checker of checkers) {
        found.push(...(yield* checker.checking(source)));
        yield;
      }
      const fieldRef = `spec.validations[${index}].${field}`;
      if (found.length > 0) warnings.push({ fieldRef, warning: found.join('\n') });
    }
  }
  return warnings;
}

/** Rules that name everything say nothing about types. */
function kindsToCheck({ matchConstraints }: Spec, types: KindTypes): readonly CheckedKind[] {
  const found = new Map<string, CheckedKind>();
  for (const rule of matchConstraints?.resourceRules ?? []) {
    const kinds = kindsOf(rule, types);
    for (const kind of kinds) found.set(formatKind(kind), kind);
    if (kinds.length === mostTypes) break;
  }
  return [...found.values()].sort(byName);
}

function kindsOf({ apiGroups = [], apiVersions = [], resources = [] }: Rule, types: KindTypes): readonly CheckedKind[] {
  if ([...apiGroups, ...apiVersions].some((text) => text.includes('*'))) return [];
  const named = resources.filter((text) => !/[*/]/.test(text));
  const places = [...apiGroups]
    .sort()
    .flatMap((group) => [...apiVersions].sort().map((version) => ({ group, version })));
  return places
    .flatMap(({ group, version }) => [...named].sort().flatMap((plural) => types.byResource(group, version, plural)))
    .slice(0, mostTypes);
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

  *checking(source: string): Steps<readonly string[]> {
    const compiled = yield* compiling(source, this.#environment);
    return 'errors' in compiled ? [`${formatKind(this.#kind)}: ${compiled.errors.message}\n`] : [];
  }
}

function* checkerOf(spec: Spec, kind: CheckedKind, types: KindTypes): Steps<KindChecker> {
  const variables = new PolicyVariables();
  const environment = admissionEnvironment({
    params: spec.paramKind !== undefined,
    authorizer: true,
    variables,
    types: { object: celTypeOf(kind.type), params: paramType(spec, types) },
  });
  for (const { name = '', expression = '' } of spec.variables ?? []) {
    const compiled = yield* compiling(expression, environment);
    variables.add(name, 'program' in compiled ? compiled.program.type : undefined);
    yield;
  }
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
