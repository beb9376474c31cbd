// Matchers for `expect` of vitest and jest.

import {
  conditionProblems,
  type ExpectedCondition,
  type ExpectedEvent,
  type ExpectedObject,
  eventProblems,
  finalizerProblems,
  objectProblems,
  ownerProblems,
  type Problems,
} from './checks.ts';
import type { EventuallyOptions } from './eventually.ts';
import type { TestServer } from './test-server.ts';

interface MatcherResult {
  readonly pass: boolean;
  message(): string;
}

interface MatcherContext {
  readonly isNot?: boolean;
}

export const matchers = {
  toHaveCondition: (object: unknown, type: string, expected?: ExpectedCondition) =>
    resultOf(conditionProblems(object, type, expected), `condition ${type}`),
  toHaveOwner: (object: unknown, owner: unknown) => resultOf(ownerProblems(object, owner), 'the owner'),
  toHaveFinalizer: (object: unknown, finalizer: string) =>
    resultOf(finalizerProblems(object, finalizer), `finalizer ${finalizer}`),
  toHaveObject(this: MatcherContext, server: TestServer, expected: ExpectedObject, options?: EventuallyOptions) {
    const name = `${expected.kind} ${expected.metadata.name}`;
    return waited(this, server, name, () => objectProblems(server, expected), options);
  },
  toHaveEvent(
    this: MatcherContext,
    server: TestServer,
    about: object,
    expected: ExpectedEvent,
    options?: EventuallyOptions,
  ) {
    return waited(this, server, 'the event', () => eventProblems(server, about, expected), options);
  },
};

/** The matchers as types; `R` is the result of one. */
export interface KeelsonMatchers<R = unknown> {
  /** The object has this condition, with status `True` when no other is given. */
  toHaveCondition(type: string, expected?: ExpectedCondition): R;
  /** The object is owned by another object. */
  toHaveOwner(owner: object): R;
  toHaveFinalizer(finalizer: string): R;
  /** The server has an object with these fields; waits for it, and with `not` until it is removed. */
  toHaveObject(expected: ExpectedObject, options?: EventuallyOptions): Promise<R>;
  /** The server has such an event about the object; waits for it. */
  toHaveEvent(about: object, expected: ExpectedEvent, options?: EventuallyOptions): Promise<R>;
}

const resultOf = (problems: Problems, name: string): MatcherResult => ({
  pass: problems.length === 0,
  message: () => (problems.length === 0 ? `${name} is there and is not expected` : problems.join('\n')),
});

async function waited(
  { isNot = false }: MatcherContext,
  server: TestServer,
  name: string,
  check: () => Promise<Problems>,
  options: EventuallyOptions = {},
): Promise<MatcherResult> {
  let problems: Problems = [];
  const attempt = async () => {
    problems = await check().catch((error: Error) => [error.message]);
    return (problems.length === 0) !== isNot;
  };
  // the result names the problems of the last attempt
  await server.eventually(attempt, options).catch(() => {});
  return resultOf(problems, name);
}
