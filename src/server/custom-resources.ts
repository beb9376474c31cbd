// Custom resources: the definitions that are stored, followed on every server, and what is served of them.

import type { Follower } from '../admission/lookup.ts';
import type { Clock } from '../base/time/clock.ts';
import type { Log } from '../config/options.ts';
import type { CustomInstances } from '../controllers/custom-resources/deletion.ts';
import { customDefinitions } from '../custom-resources/definitions.ts';
import { customInstances } from '../custom-resources/instances.ts';
import { CustomResourceServing } from '../custom-resources/serving.ts';
import { type ConversionObserver, webhookConversion } from '../custom-resources/webhook-conversion.ts';
import type { CustomResourceDefinition } from '../groups/apiextensions/v1/custom-resource-definition-type.ts';
import { apiGroup, type Dialect } from '../meta/dialect.ts';
import { ConversionMetrics } from '../metrics/conversion-metrics.ts';
import type { MetricSource } from '../metrics/metric-source.ts';
import { RegenerationMetrics } from '../metrics/regeneration-metrics.ts';
import type { Resources } from '../registry/resources.ts';
import type { GroupVersionDefinition } from '../schema/resource.ts';
import type { WebhookCaller } from '../webhooks/webhook-caller.ts';
import { ResourceFollower } from './resource-follower.ts';

interface CustomResourceParts {
  readonly resources: Resources;
  readonly builtIn: readonly GroupVersionDefinition[];
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly caller: WebhookCaller;
  newUid(): string;
  readonly log: Log;
  /** Told of each conversion, next to metrics. */
  readonly onConversion: ConversionObserver['onConversion'];
}

export interface CustomResources {
  readonly instances: CustomInstances;
  readonly metrics: readonly MetricSource[];
  /** Serves kinds that no object defines. */
  serve(definitions: readonly CustomResourceDefinition[]): void;
  /** Resolves when everything that is defined is served. */
  start(): Promise<void>;
  close(): void;
}

export function createCustomResources(parts: CustomResourceParts): CustomResources {
  const { resources, dialect, clock, log } = parts;
  const metrics = new ConversionMetrics();
  const regenerations = new RegenerationMetrics();
  const observer: ConversionObserver = {
    onConversion(call) {
      metrics.onConversion(call);
      parts.onConversion(call);
    },
  };
  const serving = new CustomResourceServing({
    resources,
    builtIn: parts.builtIn,
    build: (definition) => {
      const conversion = webhookConversion(definition, { ...parts, observer });
      return customDefinitions(definition, { dialect, ...(conversion ? { conversion } : {}) });
    },
    onServed: (name, before, after) => regenerations.observe(name, before, after),
    onError: (name, error) => log.error({ name, err: error }, 'a custom resource cannot be served'),
  });
  const registry = resources.find(apiGroup(dialect, 'apiextensions'), 'v1', 'customresourcedefinitions')?.registry;
  const follower = registry && new ResourceFollower(registry, clock, following(serving));
  return {
    instances: customInstances(serving),
    metrics: [...metrics.sources, ...regenerations.sources],
    serve: (definitions) => serving.put(definitions),
    start: async () => follower?.start(),
    close: () => follower?.close(),
  };
}

/** What was stored before is shown to the table at once, what changes later as it comes. */
function following(serving: CustomResourceServing): Follower {
  let first: CustomResourceDefinition[] | undefined;
  return {
    onReset() {
      first = [];
    },
    onPut(object) {
      if (first) first.push(object as CustomResourceDefinition);
      else serving.put([object as CustomResourceDefinition]);
    },
    onRemove: (object) => serving.remove(object.metadata.name ?? ''),
    onShown() {
      const shown = first ?? [];
      first = undefined;
      serving.keepOnly(new Set(shown.map(({ metadata }) => metadata.name ?? '')));
      serving.put(shown);
    },
  };
}
