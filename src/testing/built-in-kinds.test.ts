import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtInGroups } from '../groups/catalog.ts';
import { kubernetes } from '../meta/dialect.ts';
import { KindDeclarations } from './kind-declarations.ts';

const folder = join(import.meta.dirname, 'kinds');

/** The version of each group that clients prefer. */
function preferredVersions() {
  const groups = builtInGroups(kubernetes).filter(
    ({ offByDefault, resources }) => !offByDefault && resources.length > 0,
  );
  return groups.filter(
    ({ group, priority }) =>
      !groups.some((other) => other.group === group && other.priority.version > priority.version),
  );
}

const declarations = new KindDeclarations();
for (const groupVersion of preferredVersions()) declarations.add(groupVersion);
const files = declarations.files();

describe('the types of the built-in kinds', () => {
  // after a change of a kind: npx vitest run src/testing/built-in-kinds.test.ts --update
  test.each([...files])('%s are those of their data', async (name, text) => {
    await expect(text).toMatchFileSnapshot(join(folder, `${name}.ts`));
  });

  test('are all there are', () => {
    expect(readdirSync(folder).sort()).toEqual([...files.keys()].map((name) => `${name}.ts`).sort());
    expect(files.size).toBeGreaterThan(15);
  });
});
