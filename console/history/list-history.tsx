// The history of a list: what was written to its objects, and the whole list as it was then.

import type { Kind } from '../discovery.ts';
import { listAddress, objectAddress, route } from '../router.ts';
import { HistoryTable } from './history-table.tsx';

export function ListHistory({ kind }: { readonly kind: Kind }) {
  const namespace = kind.namespaced ? (route.value.query.get('namespace') ?? '') : '';
  return (
    <section class="requests">
      <div class="tools">
        <h1>
          History of <a href={listAddress(kind, namespace)}>{kind.kind}</a>
        </h1>
        <span class="count">{namespace}</span>
      </div>
      <div class="both history">
        <HistoryTable
          kind={kind}
          namespace={namespace}
          titleOf={(row) => (
            <>
              <a href={listAddress(kind, namespace, row.revision)} aria-label={`The list at revision ${row.revision}`}>
                {row.revision}
              </a>{' '}
              <a
                href={`${objectAddress(kind, row.namespace, row.name)}?tab=History`}
                aria-label={`History of ${row.name}`}
              >
                ↳
              </a>
            </>
          )}
        />
      </div>
    </section>
  );
}
