// `keelson/jest`: a test server for the tests of a file, and matchers.
//
//   const server = useTestServer({ manifests: ['crds/'] });

import { matchers, startTimeoutMs, type TestHooks, useTestServerWith } from './fixture.ts';
import type { KeelsonMatchers } from './matchers.ts';
import type { TestServer, TestServerOptions } from './test-server.ts';

declare global {
  namespace jest {
    interface Matchers<R> extends KeelsonMatchers<R> {}
  }
}

interface JestGlobals extends Pick<TestHooks, 'afterAll'> {
  beforeAll(run: () => Promise<void>, timeoutMs: number): void;
  afterEach(run: () => Promise<void>): void;
  readonly expect: { extend(matchers: object): void };
}

export function useTestServer(options: TestServerOptions = {}): TestServer {
  const { beforeAll, afterEach, afterAll, expect } = globalThis as Partial<JestGlobals>;
  if (!beforeAll || !afterEach || !afterAll || !expect)
    throw new Error('keelson/jest needs the globals of jest: call useTestServer in a test file, with injectGlobals');
  expect.extend(matchers);
  const afterEachTest: TestHooks['afterEach'] = (run) => afterEach(() => run(undefined));
  const beforeAllTests: TestHooks['beforeAll'] = (run) => beforeAll(run, startTimeoutMs);
  const hooks = { beforeAll: beforeAllTests, afterEach: afterEachTest, afterAll, hasFailed: hasCurrentTestFailed };
  return useTestServerWith(hooks, options);
}

interface CircusState {
  readonly currentlyRunningTest?: { readonly errors?: readonly unknown[] };
}

/** jest passes nothing to its hooks; its state is a global without a name. Where that is absent, no test counts as failed. */
function hasCurrentTestFailed(): boolean {
  const key = Reflect.ownKeys(globalThis).find(
    (one) => typeof one === 'symbol' && one.description === 'JEST_STATE_SYMBOL',
  );
  const state = key === undefined ? undefined : (Reflect.get(globalThis, key) as CircusState | undefined);
  return (state?.currentlyRunningTest?.errors?.length ?? 0) > 0;
}
