// What a policy would have decided, write by write.

import { ReportTable } from '../shell/report.tsx';

interface TriedExpression {
  readonly expression: string;
  readonly outcome: 'holds' | 'fails' | 'error';
  readonly cost: number;
  readonly message?: string;
}

interface Trial {
  readonly outcome: 'allowed' | 'refused' | 'passedBy';
  readonly operation: string;
  readonly namespace: string;
  readonly name: string;
  readonly revision?: number;
  readonly user: string;
  readonly cost: number;
  readonly error?: string;
  readonly expressions: readonly TriedExpression[];
}

export interface Trials {
  readonly writes: readonly Trial[];
  readonly cost: number;
  readonly isCut: boolean;
  readonly showsNamespaces: boolean;
  readonly asksForRights: boolean;
}

export const firstPolicy = `spec:
  matchConstraints:
    resourceRules:
      - apiGroups: [""]
        apiVersions: [v1]
        operations: [CREATE, UPDATE]
        resources: [configmaps]
  validations:
    - expression: "has(object.data) && object.data.size() > 0"
      message: "A ConfigMap needs data."
`;

const titles = { allowed: 'allowed', refused: 'refused', passedBy: 'not about it' } as const;

export function PolicyRows({ trials }: { readonly trials: Trials }) {
  const { writes, cost, isCut, showsNamespaces, asksForRights } = trials;
  const refused = writes.filter(({ outcome }) => outcome === 'refused').length;
  return (
    <>
      <p class={`verdict ${refused > 0 ? 'bad' : 'good'}`} role="status">
        {refused} of {writes.length} would be refused
        {isCut ? '; there are older writes' : ''} — cost {cost.toLocaleString('en')}
      </p>
      {!showsNamespaces && <p class="hint">namespaceObject is null: you may not get namespaces.</p>}
      {!asksForRights && <p class="hint">authorizer allows nothing: you may not create SubjectAccessReviews.</p>}
      <ReportTable
        label="Writes"
        titles={['Outcome', 'Operation', 'Object', 'User', 'Revision', 'Cost', 'Why']}
        rows={writes.map((write) => [
          <b class={write.outcome === 'refused' ? 'bad' : write.outcome === 'allowed' ? 'good' : ''}>
            {titles[write.outcome]}
          </b>,
          write.operation,
          `${write.namespace === '' ? '' : `${write.namespace}/`}${write.name}`,
          write.user,
          write.revision ?? '',
          write.cost.toLocaleString('en'),
          write.error ??
            write.expressions
              .filter(({ outcome }) => outcome !== 'holds')
              .map(({ message = '' }) => message)
              .join('; '),
        ])}
      />
    </>
  );
}
