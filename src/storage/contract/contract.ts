// What every Store has to do: one suite, run by each implementation. A skip carries its reason.

import { afterEach, describe, test } from 'vitest';
import { describeHistory } from './history.ts';
import { describeReads } from './reads.ts';
import type { StoreFixture } from './steps.ts';
import { describeWatches } from './watches.ts';
import { describeWrites } from './writes.ts';

interface ContractOptions {
  /** Tests that do not apply, with the reason. */
  readonly skip?: Readonly<Record<string, string>>;
}

export function describeStore(
  name: string,
  open: () => Promise<StoreFixture>,
  { skip = {} }: ContractOptions = {},
): void {
  describe(`${name} store`, () => {
    const opened: StoreFixture[] = [];
    const contract = (title: string, run: (fixture: StoreFixture) => Promise<void>) => {
      const reason = skip[title];
      test.skipIf(reason !== undefined)(reason === undefined ? title : `${title} (skipped: ${reason})`, async () => {
        const fixture = await open();
        opened.push(fixture);
        await run(fixture);
      });
    };
    afterEach(async () => {
      for (const fixture of opened.splice(0)) await fixture.dispose();
    });
    describeWrites(contract);
    describeReads(contract);
    describeWatches(contract);
    describeHistory(contract);
  });
}
