// What authorizers decided, how webhooks did, and reloads of their configuration, under kube-apiserver's names.

import type { AuthorizationModule } from '../authz/authorizer.ts';
import { usualBounds } from '../base/histogram.ts';
import { isPromise } from '../base/maybe-promise.ts';
import type { AttemptResult } from '../client/webhook.ts';
import type { AccessAttributes, Decision } from '../meta/access.ts';
import { GraphMetrics } from './graph-metrics.ts';
import { type MetricSource, metric } from './metric-source.ts';
import { NumberTable, SecondsTable } from './number-table.ts';
import { labelHash, type ServerLabels } from './server-labels.ts';

const conditionBounds = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];

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
  readonly #calls = new NumberTable('apiserver_authorization_webhook_evaluations_total');
  readonly #callSeconds = new SecondsTable('apiserver_authorization_webhook_duration_seconds', usualBounds);
  readonly #failOpen = new NumberTable('apiserver_authorization_webhook_evaluations_fail_open_total');
  readonly #exclusions = new NumberTable('apiserver_authorization_match_condition_exclusions_total');
  readonly #conditionErrors = new NumberTable('apiserver_authorization_match_condition_evaluation_errors_total');
  readonly #conditionSeconds = new SecondsTable(
    'apiserver_authorization_match_condition_evaluation_seconds',
    conditionBounds,
  );
  readonly #reloads = new NumberTable('apiserver_authorization_config_controller_automatic_reloads_total');
  readonly #lastReload = new NumberTable(
    'apiserver_authorization_config_controller_automatic_reload_last_timestamp_seconds',
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
    return metric('apiserver_authorization_config_controller_last_config_info', () =>
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
    return metric('apiserver_authorization_decisions_total', () =>
      [...this.#decided.values()].flatMap(({ type, name, allowed, denied }) =>
        Object.entries({ allowed, denied })
          .filter(([, value]) => value > 0)
          .map(([decision, value]) => ({ labels: { type, name, decision }, value })),
      ),
    );
  }
}
