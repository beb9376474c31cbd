// What authorizers decided, how webhooks did, and reloads of their configuration, under kube-apiserver's names.

import type { AuthorizationModule } from '../authz/authorizer.ts';
import { usualBounds } from '../base/histogram.ts';
import { isPromise } from '../base/maybe-promise.ts';
import type { AttemptResult } from '../client/webhook.ts';
import type { AccessAttributes, Decision } from '../meta/access.ts';
import { GraphMetrics } from './graph-metrics.ts';
import { NumberTable, SecondsTable } from './metric-tables.ts';
import { type MetricSource, metric } from './request-metrics.ts';
import { labelHash, type ServerLabels } from './server-labels.ts';

const conditionBounds = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];

const prefix = 'apiserver_authorization';
const reloadPrefix = `${prefix}_config_controller_automatic_reload`;

/** Which authorizer something is about. */
interface Who {
  readonly type: string;
  readonly name: string;
}

interface Decided extends Who {
  allowed: number;
  denied: number;
}

export class AuthorizationMetrics {
  readonly graph = new GraphMetrics();
  readonly #decided = new Map<string, Decided>();
  readonly #calls = new NumberTable({
    name: `${prefix}_webhook_evaluations_total`,
    help: 'Calls of authorization webhooks.',
  });
  readonly #callSeconds = new SecondsTable(
    { name: `${prefix}_webhook_duration_seconds`, help: 'Seconds that calls of authorization webhooks took.' },
    usualBounds,
  );
  readonly #failOpen = new NumberTable({
    name: `${prefix}_webhook_evaluations_fail_open_total`,
    help: 'Questions that went on to others because a webhook gave no answer.',
  });
  readonly #exclusions = new NumberTable({
    name: `${prefix}_match_condition_exclusions_total`,
    help: 'Questions that the conditions of an authorizer kept from it.',
  });
  readonly #conditionErrors = new NumberTable({
    name: `${prefix}_match_condition_evaluation_errors_total`,
    help: 'Questions for which the conditions of an authorizer could not be computed.',
  });
  readonly #conditionSeconds = new SecondsTable(
    { name: `${prefix}_match_condition_evaluation_seconds`, help: 'Seconds spent on conditions of authorizers.' },
    conditionBounds,
  );
  readonly #reloads = new NumberTable({
    name: `${reloadPrefix}s_total`,
    help: 'Reloads of the configuration of authorizers, by how they ended.',
  });
  readonly #lastReload = new NumberTable(
    {
      name: `${reloadPrefix}_last_timestamp_seconds`,
      help: 'When the configuration of authorizers was last reloaded.',
    },
    'gauge',
  );

  readonly #ofServer: ServerLabels;
  #configuration: string | undefined;

  constructor(ofServer: ServerLabels) {
    this.#ofServer = ofServer;
  }

  /** A configuration file of this content is in use. */
  configured(text: string): void {
    this.#configuration = labelHash(text);
  }

  /** Wraps a module and counts its decisions. */
  counting({ type, name }: Who, module: AuthorizationModule): AuthorizationModule {
    const counts = this.#counts({ type, name });
    const authorizer = name === '' || name === type.toLowerCase() ? type : `${type} ${name}`;
    const note = ({ notes }: AccessAttributes, decision: Decision) => {
      if (decision.kind === 'allow') counts.allowed++;
      else if (decision.kind === 'deny') counts.denied++;
      if (decision.kind !== 'noOpinion') notes?.decidedBy(authorizer);
      return decision;
    };
    return {
      authorize(attributes) {
        const decision = module.authorize(attributes);
        return isPromise(decision) ? decision.then((found) => note(attributes, found)) : note(attributes, decision);
      },
      rules: (user, namespace) => module.rules(user, namespace),
    };
  }

  called(name: string, result: AttemptResult, seconds: number): void {
    this.#calls.add({ name, result });
    this.#callSeconds.observe({ name, result }, seconds);
  }

  failedOpen(name: string, result: 'timeout' | 'error'): void {
    this.#failOpen.add({ name, result });
  }

  /** Conditions were looked at. */
  matched(who: Who, outcome: 'included' | 'excluded' | 'error', seconds: number): void {
    const { type, name } = who;
    this.#conditionSeconds.observe({ type, name }, seconds);
    if (outcome === 'excluded') this.#exclusions.add({ type, name });
    if (outcome === 'error') this.#conditionErrors.add({ type, name });
  }

  reloaded(status: 'success' | 'failure', now: number): void {
    const labels = { status, ...this.#ofServer };
    this.#reloads.add(labels);
    this.#lastReload.set(labels, now / 1000);
  }

  get sources(): readonly MetricSource[] {
    const tables = [
      this.graph,
      this.#calls,
      this.#callSeconds,
      this.#failOpen,
      this.#exclusions,
      this.#conditionErrors,
      this.#conditionSeconds,
      this.#reloads,
      this.#lastReload,
    ];
    return [this.#decisions(), ...tables.map(({ source }) => source), this.#inUse()];
  }

  #inUse(): MetricSource {
    const name = `${prefix}_config_controller_last_config_info`;
    return metric(name, 'gauge', 'The configuration of authorizers in use.', () =>
      this.#configuration === undefined ? [] : [{ labels: { ...this.#ofServer, hash: this.#configuration }, value: 1 }],
    );
  }

  #counts(who: Who): Decided {
    const key = JSON.stringify(who);
    const counts = this.#decided.get(key) ?? { ...who, allowed: 0, denied: 0 };
    this.#decided.set(key, counts);
    return counts;
  }

  #decisions(): MetricSource {
    const name = `${prefix}_decisions_total`;
    const help = 'Decisions of authorizers that allowed or denied something.';
    const values = () =>
      [...this.#decided.values()].flatMap(({ type, name: who, allowed, denied }) =>
        Object.entries({ allowed, denied })
          .filter(([, value]) => value > 0)
          .map(([decision, value]) => ({ labels: { type, name: who, decision }, value })),
      );
    return { name, get: async () => ({ name, help, type: 'counter', values: values(), aggregator: 'sum' }) };
  }
}
