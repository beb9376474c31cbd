// Assertions for tests of operators, in any runner.

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
import type { Identified } from './typed-client.ts';

function throwIfAny(problems: Problems): void {
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

/** Throws unless the object has the condition, with status `True` when no other is given. */
export function assertCondition(object: object, type: string, expected?: ExpectedCondition): void {
  throwIfAny(conditionProblems(object, type, expected));
}

/** Throws unless `owner` is among the owners of the object. */
export function assertOwner(object: object, owner: object): void {
  throwIfAny(ownerProblems(object, owner));
}

export function assertFinalizer(object: object, finalizer: string): void {
  throwIfAny(finalizerProblems(object, finalizer));
}

/** Waits until the server has the object with these fields; other fields are not compared. */
export async function assertObject(
  server: TestServer,
  expected: ExpectedObject,
  options?: EventuallyOptions,
): Promise<void> {
  await server.eventually(async () => throwIfAny(await objectProblems(server, expected)), options);
}

/** Waits until the server has no such object. */
export async function assertNoObject(
  server: TestServer,
  { apiVersion, kind, metadata }: Identified,
  options?: EventuallyOptions,
): Promise<void> {
  await server.eventually(async () => {
    const problems = await objectProblems(server, { apiVersion, kind, metadata: { ...metadata } });
    if (problems.length === 0) throw new Error(`${kind} ${metadata.name} is still there`);
  }, options);
}

/** Waits until there is such an event about the object. */
export async function assertEvent(
  server: TestServer,
  about: object,
  expected: ExpectedEvent,
  options?: EventuallyOptions,
): Promise<void> {
  await server.eventually(async () => throwIfAny(await eventProblems(server, about, expected)), options);
}
