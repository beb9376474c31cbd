// What the server answers to questions about rights.

interface Rule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

interface Role {
  readonly kind: string;
  readonly name: string;
}

export interface Grant {
  readonly namespace: string;
  readonly binding: string;
  readonly role: Role;
  readonly rule: Rule;
}

interface Question {
  readonly verb: string;
  readonly resource?: string;
  readonly group?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string;
}

interface User {
  readonly name: string;
  readonly groups: readonly string[];
}

export interface WhyAnswer {
  readonly page: 'why';
  readonly question: Question;
  readonly user: User;
  readonly allowed: boolean;
  readonly decision: string;
  readonly authorizer: string;
  readonly reason: string;
  readonly error?: string;
  readonly showsRoles: boolean;
  readonly grant?: Grant;
  readonly missing?: {
    readonly near: readonly (Grant & { readonly lacks: string })[];
    readonly elsewhere: readonly Grant[];
    readonly roles: readonly Role[];
  };
}

export interface WhoAnswer {
  readonly page: 'who';
  readonly question: Question;
  readonly holders: readonly (Grant & {
    readonly subject: { readonly kind: string; readonly name: string; readonly namespace?: string };
  })[];
  readonly isCut: boolean;
  readonly always: readonly string[];
  readonly unlisted: readonly string[];
}

export interface RulesAnswer {
  readonly page: 'rules';
  readonly user: User;
  readonly rules: readonly (Partial<Grant> & { readonly rule: Rule })[];
  readonly isCut: boolean;
  readonly errors: readonly string[];
  readonly always?: string;
}

export type Answer = WhyAnswer | WhoAnswer | RulesAnswer;

export function questionText({ verb, resource, group, subresource, namespace, name, path }: Question): string {
  if (path !== undefined) return `${verb} ${path}`;
  const target = `${resource}${subresource ? `/${subresource}` : ''}${group ? `.${group}` : ''}${name ? ` ${name}` : ''}`;
  return `${verb} ${target} ${namespace ? `in namespace ${namespace}` : 'in all namespaces'}`;
}

const list = (values: readonly string[] = []) => values.map((value) => (value === '' ? 'core' : value)).join(', ');

/** What a rule is about. */
export function ruleTarget({ resources, apiGroups, resourceNames, nonResourceURLs }: Rule): string {
  if (resources === undefined) return list(nonResourceURLs);
  return `${list(resources)} of ${list(apiGroups)}${resourceNames ? ` named ${list(resourceNames)}` : ''}`;
}

export const ruleVerbs = ({ verbs }: Rule) => list(verbs);

/** Rules about the same target become one row, with the verbs of all of them. */
export function aggregatedRules(rules: RulesAnswer['rules']): readonly RulesAnswer['rules'][number][][] {
  return [...Map.groupBy(rules, ({ rule }) => ruleTarget(rule)).values()].sort((a, b) =>
    ruleTarget(a[0]?.rule ?? {}).localeCompare(ruleTarget(b[0]?.rule ?? {})),
  );
}
