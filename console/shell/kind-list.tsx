// All kinds at the side, by their groups.

import { canList, groupTitle, type Kind, kinds } from '../discovery.ts';
import { listAddress, route } from '../router.ts';

export function KindList() {
  const groups = Map.groupBy(kinds.value.filter(canList), ({ group }) => group);
  const [, currentGroup = '', , currentPlural = ''] = route.value.parts;
  const isCurrent = ({ group, plural }: Kind) => plural === currentPlural && (group || 'core') === currentGroup;
  return (
    <nav class="kinds" aria-label="Kinds">
      {[...groups].map(([group, members]) => (
        <details key={group} open={openGroups.has(group) || members.some(isCurrent)}>
          <summary>{groupTitle(group)}</summary>
          <ul>
            {members.map((kind) => (
              <li key={kind.plural}>
                <a href={listAddress(kind)} aria-current={isCurrent(kind) ? 'page' : undefined}>
                  {kind.kind}
                </a>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </nav>
  );
}

const openGroups = new Set(['', 'apps', 'batch']);
