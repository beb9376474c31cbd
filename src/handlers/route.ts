// Whether there is a path for the media types of a request: looked at before anything is known of what it asks for.

import { offeredTypes, requireProduced, streamedTypes } from '../codec/accept.ts';
import { hasMessage } from '../codec/protobuf/object-message.ts';
import type { Dialect, DialectNames } from '../meta/dialect.ts';
import type { Exchange } from '../meta/exchange.ts';
import { unroutableMediaType } from '../meta/status.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import type { SubresourceDefinition } from '../schema/subresource.ts';
import type { Verb } from '../schema/verbs.ts';
import { isPatchType } from './write/patch-type.ts';

interface Routed {
  readonly verb: Verb;
  readonly definition: ResourceDefinition;
  readonly subresource: SubresourceDefinition | undefined;
}

/**
 * Throws 415 for a patch in a type that no resource takes, 406 where no type that the client takes is answered.
 * compat: custom resources and connections have paths for all types
 */
export function requireRoute({ request }: Exchange, routed: Routed, dialect: Dialect): void {
  const { verb, definition, subresource } = routed;
  if (!hasMessage(definition.type) || isConnection(subresource)) return;
  if (verb === 'patch' && !isPatchType(request.header('content-type'))) throw unroutableMediaType();
  requireProduced(request.header('accept'), dialect, produced(routed));
}

const isConnection = (subresource: SubresourceDefinition | undefined): boolean =>
  subresource?.is === 'connect' && subresource.onlyReads !== true;

function produced({ verb, subresource }: Routed): typeof offeredTypes {
  if (subresource?.is === 'connect') return textOrObjects;
  return verb === 'list' || verb === 'watch' ? objectsOrEvents : offeredTypes;
}

const textOrObjects = (names: DialectNames): readonly string[] => ['text/plain', ...offeredTypes(names)];
const objectsOrEvents = (names: DialectNames): readonly string[] => [...offeredTypes(names), ...streamedTypes(names)];
