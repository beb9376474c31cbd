// The webhooks of stored configurations, in the order in which they are called, and which of them may want to see a kind of
// write. All of it is in memory and follows the store.

import type { mutatingWebhook } from '../../groups/admissionregistration/v1/mutating-webhook-configuration-type.ts';
import { groupName } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import type { Infer } from '../../schema/types.ts';
import type { WebhookTarget } from '../../webhooks/webhook-target.ts';
import type { AdmissionEngines } from '../engines.ts';
import { alwaysMatches, type MatchCriteria, mayMatch } from '../matching/match-request.ts';
import type { Operation } from '../plugin.ts';

/** The one that changes objects has every field of the other. */
export type Webhook = Infer<typeof mutatingWebhook>;
type Configuration = ApiObject & { readonly webhooks?: readonly Webhook[] };

export interface Hook {
  readonly configuration: string;
  readonly name: string;
  /** Its place among all webhooks. */
  readonly index: number;
  /** Names are unique within a configuration only. */
  readonly uid: string;
  readonly webhook: Webhook;
  readonly criteria: MatchCriteria;
  /** Stands in a file, not in the store. */
  readonly isStatic: boolean;
  readonly target: WebhookTarget;
}

/** A webhook as far as one kind of write is concerned. */
export interface RelevantHook extends Hook {
  /** Whether all such writes match, so that none needs to be looked at. */
  readonly always: boolean;
}

type Engines = Pick<AdmissionEngines, 'dialect' | 'follow' | 'equivalents' | 'onServedChange' | 'manifests'>;

/** What stored webhooks decide about them could make them impossible to change; those in files stay the operator's own. */
const exempt = new Set([
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
]);

export class WebhookSource {
  readonly #engines: Engines;
  readonly #group: string;
  readonly #resource: string;
  readonly #configurations = new Map<string, Configuration>();
  #hooks: readonly Hook[] | undefined;
  #listener: (() => void) | undefined;
  #byTarget = new WeakMap<ResourceDefinition, Map<string, readonly RelevantHook[]>>();

  constructor(engines: Engines, resource: string) {
    this.#engines = engines;
    this.#resource = resource;
    this.#group = groupName(engines.dialect, 'admissionregistration');
    engines.follow(
      { group: this.#group, version: 'v1', resource },
      {
        onReset: () => this.#changed(() => this.#configurations.clear()),
        onPut: (object) => this.#changed(() => this.#configurations.set(object.metadata.name ?? '', object)),
        onRemove: ({ metadata }) => this.#changed(() => this.#configurations.delete(metadata.name ?? '')),
      },
    );
    engines.onServedChange(() => this.#changed(() => {}));
    engines.manifests.onChange(() => this.#changed(() => {}));
  }

  /** Calls back after each change. */
  onChange(listener: () => void): void {
    this.#listener = listener;
  }

  /** The webhooks that may want to see such writes, in the order in which they are called. */
  hooksFor(definition: ResourceDefinition, subresource: string, operation: Operation): readonly RelevantHook[] {
    let known = this.#byTarget.get(definition);
    if (known === undefined) {
      known = new Map();
      this.#byTarget.set(definition, known);
    }
    const key = `${operation} ${subresource}`;
    let hooks = known.get(key);
    if (hooks === undefined) {
      hooks = this.#find(definition, subresource, operation);
      known.set(key, hooks);
    }
    return hooks;
  }

  #find(definition: ResourceDefinition, subresource: string, operation: Operation): readonly RelevantHook[] {
    const isExempt = definition.group === this.#group && exempt.has(definition.plural);
    const subject = { definition, subresource, operation };
    const possible = this.#all.filter(
      ({ criteria, isStatic }) => (isStatic || !isExempt) && mayMatch(criteria, subject, this.#engines),
    );
    return possible.map((hook) => ({ ...hook, always: alwaysMatches(hook.criteria, subject) }));
  }

  get #all(): readonly Hook[] {
    this.#hooks ??= hooksOf(this.#engines.manifests.objectsOf(this.#resource), [...this.#configurations.values()]);
    return this.#hooks;
  }

  #changed(change: () => void): void {
    change();
    this.#hooks = undefined;
    this.#byTarget = new WeakMap();
    this.#listener?.();
  }
}

const nameOf = ({ metadata }: ApiObject) => metadata.name ?? '';

/** Those in files, then stored configurations by name, the webhooks of each as they stand in it. */
function hooksOf(inFiles: readonly Configuration[], stored: readonly Configuration[]): readonly Hook[] {
  const sorted = [...inFiles, ...[...stored].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))];
  const all = sorted.flatMap((one) => (one.webhooks ?? []).map((webhook) => ({ one, webhook })));
  return all.map(({ one, webhook }, index) => ({
    ...{ configuration: nameOf(one), webhook, index, isStatic: inFiles.includes(one) },
    name: webhook.name ?? '',
    uid: JSON.stringify([nameOf(one), webhook.name, index]),
    criteria: criteriaOf(webhook),
    target: targetOf(webhook),
  }));
}

function targetOf({ clientConfig = {} }: Webhook): WebhookTarget {
  const { url, service, caBundle } = clientConfig;
  return {
    ...(url === undefined ? {} : { url }),
    ...(service === undefined
      ? {}
      : { service: { ...service, namespace: service.namespace ?? '', name: service.name ?? '' } }),
    ...(caBundle === undefined ? {} : { caBundle }),
  };
}

function criteriaOf({ rules = [], matchPolicy, namespaceSelector, objectSelector }: Webhook): MatchCriteria {
  return {
    rules,
    ...(matchPolicy === undefined ? {} : { matchPolicy }),
    ...(namespaceSelector === undefined ? {} : { namespaceSelector }),
    ...(objectSelector === undefined ? {} : { objectSelector }),
  };
}
