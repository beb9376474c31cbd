// What plugins may use, and how they are set up.

import type { Clock } from '../base/clock.ts';
import type { AccessControl } from '../meta/access.ts';
import type { Dialect } from '../meta/dialect.ts';
import type { ObjectAccess, ResourceDefinition } from '../schema/resource.ts';
import type { Lookup } from './lookup.ts';

export interface PluginSettings {
  /** How long pods stay on nodes that are not ready, or cannot be reached, in seconds. */
  readonly notReadyTolerationSeconds: number;
  readonly unreachableTolerationSeconds: number;
}

export interface AdmissionEngines {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly objects: Lookup;
  readonly access: Pick<AccessControl, 'decide'>;
  readonly settings: PluginSettings;
  /** Stores an object of the server's own. */
  readonly create: ObjectAccess['create'];
  /** Changes a stored object, on the server's own behalf. */
  readonly update: ObjectAccess['update'];
  /** The resource that serves a kind; undefined where nobody does. */
  resourceOf(group: string, version: string, kind: string): ResourceDefinition | undefined;
}
