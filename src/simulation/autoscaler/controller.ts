// Horizontal autoscalers: sets the replicas of a target so that its metrics come to their targets.

import { isDeepStrictEqual } from 'node:util';
import { isConflict, isNotFound, RequestError } from '../../client/client.ts';
import type { Controller, ControllerContext } from '../../controllers/controller.ts';
import { EventRecorder } from '../../controllers/event-recorder.ts';
import { pathOf, type StoredResource } from '../../controllers/object-feed.ts';
import type { WorkOutcome, WorkQueue } from '../../controllers/work-queue.ts';
import type { Scale } from '../../groups/autoscaling/v1/scale.ts';
import type { HorizontalPodAutoscaler } from '../../groups/autoscaling/v2/horizontal-pod-autoscaler-type.ts';
import type { MetricStatus } from '../../groups/autoscaling/v2/metrics.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { parseApiVersion } from '../../meta/group-version.ts';
import { matchesLabels, parseLabelSelector } from '../../meta/label-selector.ts';
import { atScale, parseQuantity } from '../../meta/quantity.ts';
import { formatTime } from '../../meta/time.ts';
import { cacheOf, keyOf, type ObjectCache } from '../object-cache.ts';
import { reasonOf } from '../workloads/pod-control.ts';
import { unlessZero, writeStatus } from '../workloads/status.ts';
import { type MetricSituation, proposeFor, UnusableMetric } from './metric-proposal.ts';
import { MetricValues, metricAnnotations, noKind } from './metric-values.ts';
import { ScaleHistory } from './scale-history.ts';

type Status = NonNullable<HorizontalPodAutoscaler['status']>;
type Conditions = NonNullable<Status['conditions']>;

/** Every autoscaler is looked at this often, and when its specification or an annotated value changes. */
const periodMs = 15_000;
const usualTolerance = 0.1;
const workers = 5;

/** What ends a look at an autoscaler, once its status has the reason. */
class Stopped extends Error {}

export class HorizontalAutoscaler implements Controller {
  readonly #context: ControllerContext;
  readonly #autoscalers: ObjectCache<HorizontalPodAutoscaler>;
  readonly #pods: ObjectCache<Pod>;
  readonly #queue: WorkQueue;
  readonly #events: EventRecorder;
  readonly #histories = new Map<string, ScaleHistory>();
  /** The selector of the pods of each autoscaler, as text. */
  readonly #selectors = new Map<string, string>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#events = new EventRecorder(context, 'horizontal-pod-autoscaler');
    this.#autoscalers = cacheOf<HorizontalPodAutoscaler>(context, 'autoscaling', 'horizontalpodautoscalers');
    this.#pods = cacheOf<Pod>(context, '', 'pods');
    this.#queue = context.queue({ name: 'horizontalpodautoscaler', workers, work: (key) => this.#work(key) });
    this.#autoscalers.subscribe({
      onSynced: () => {
        for (const autoscaler of this.#autoscalers.all()) this.#queue.add(keyOf(autoscaler));
      },
      onChange: (current, previous) => this.#onChange(current, previous),
    });
  }

  close(): Promise<void> {
    return this.#queue.close();
  }

  #onChange(current: HorizontalPodAutoscaler | undefined, previous: HorizontalPodAutoscaler | undefined): void {
    const key = keyOf((current ?? previous) as HorizontalPodAutoscaler);
    if (current === undefined || (previous !== undefined && current.metadata.uid !== previous.metadata.uid)) {
      this.#histories.delete(key);
      this.#selectors.delete(key);
    }
    const isSame =
      current !== undefined &&
      previous !== undefined &&
      isDeepStrictEqual(current.spec, previous.spec) &&
      isDeepStrictEqual(metricAnnotations(current), metricAnnotations(previous));
    if (!isSame) this.#queue.add(key);
  }

  async #work(key: string): Promise<WorkOutcome> {
    const autoscaler = this.#autoscalers.get(key);
    if (autoscaler === undefined) return 'done';
    const look = new Look(this.#context, this.#events, autoscaler);
    try {
      await this.#scale(key, look);
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
    }
    await this.#write(look);
    return periodMs;
  }

  /** A conflict shows that another client was faster: the next look sees its write. */
  async #write({ autoscaler, status }: Look): Promise<void> {
    const { namespace, name } = autoscaler.metadata;
    const path = `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers/${name}`;
    try {
      await writeStatus({ client: this.#context.client, cache: this.#autoscalers, path }, autoscaler, status);
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }

  async #scale(key: string, look: Look): Promise<void> {
    const { spec = {} } = look.autoscaler;
    const path = await this.#pathOfTarget(look);
    const scale = await this.#scaleOf(path, look);
    look.setCondition('AbleToScale', 'True', [
      'SucceededGetScale',
      "the HPA controller was able to get the target's current scale",
    ]);
    look.setMetrics(null);
    const current = scale.spec?.replicas ?? 0;
    const { minReplicas: min = 1, maxReplicas: max = 0, behavior } = spec;
    const now = this.#context.clock.now();
    const history = this.#histories.get(key) ?? new ScaleHistory(current, now);
    this.#histories.set(key, history);
    let desired = current;
    let reason = '';
    if (current === 0)
      look.setCondition('ScalingActive', 'False', [
        'ScalingDisabled',
        'scaling is disabled since the replica count of the target is zero',
      ]);
    else if (current > max) [desired, reason] = [max, 'Current number of replicas above Spec.MaxReplicas'];
    else if (current < min) [desired, reason] = [min, 'Current number of replicas below Spec.MinReplicas'];
    else {
      const proposal = await this.#propose(key, look, scale);
      reason = proposal.replicas > current ? `${proposal.name} above target` : 'All metrics below target';
      const decision = history.decide({ current, desired: proposal.replicas, min, max, behavior, now });
      look.setCondition('AbleToScale', 'True', decision.able);
      const [status, ...rest] = decision.limited;
      look.setCondition('ScalingLimited', status, rest);
      desired = decision.replicas;
    }
    if (desired !== current) {
      await this.#rescale(look, path, { scale, desired, reason });
      history.note({ current, desired, behavior, now });
    }
    look.setReplicas(current, desired);
  }

  async #pathOfTarget(look: Look): Promise<string> {
    const { apiVersion = '', kind = '', name = '' } = look.autoscaler.spec?.scaleTargetRef ?? {};
    const resource = this.#context.kinds.byKind(apiVersion, kind);
    if (resource === undefined) return look.failToGetScale(noKind(kind, parseApiVersion(apiVersion)?.group ?? ''));
    const { namespace = '' } = look.autoscaler.metadata;
    return scalePath(resource, namespace, name);
  }

  async #scaleOf(path: string, look: Look): Promise<Scale> {
    try {
      return await this.#context.client.get<Scale>(path);
    } catch (error) {
      if (error instanceof RequestError) return look.failToGetScale(reasonOf(error));
      throw error;
    }
  }

  async #rescale(
    look: Look,
    path: string,
    { scale, desired, reason }: { scale: Scale; desired: number; reason: string },
  ): Promise<void> {
    const size = `New size: ${desired}; reason: ${reason}`;
    try {
      // another client may change the target meanwhile, and only the number of replicas is written
      await this.#context.client.merge(path, { spec: { replicas: desired } });
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const message = reasonOf(error);
      await look.tell('Warning', 'FailedRescale', `${size}; error: ${message}`);
      look.setCondition('AbleToScale', 'False', [
        'FailedUpdateScale',
        `the HPA controller was unable to update the target scale: ${message}`,
      ]);
      look.keepDesired(scale.spec?.replicas ?? 0);
      throw new Stopped(message);
    }
    look.setCondition('AbleToScale', 'True', [
      'SucceededRescale',
      `the HPA controller was able to update the target scale to ${desired}`,
    ]);
    await look.tell('Normal', 'SuccessfulRescale', size);
  }

  /** The largest of the proposals of all metrics. */
  async #propose(key: string, look: Look, scale: Scale): Promise<{ readonly replicas: number; readonly name: string }> {
    const { metrics = [] } = look.autoscaler.spec ?? {};
    const specReplicas = scale.spec?.replicas ?? 0;
    const { selector, pods } = await this.#podsOf(key, look, scale);
    const situation: MetricSituation = {
      values: new MetricValues(this.#context, look.autoscaler),
      ...{ pods, selector, specReplicas, statusReplicas: scale.status?.replicas ?? 0 },
      tolerances: tolerancesOf(look.autoscaler),
      now: this.#context.clock.now(),
    };
    const statuses: MetricStatus[] = [];
    const problems: UnusableMetric[] = [];
    let best = { replicas: 0, name: '' };
    for (const metric of metrics) {
      const proposal = await proposeFor(metric, situation).catch((error: unknown) => {
        if (error instanceof UnusableMetric) return error;
        throw error;
      });
      if (proposal instanceof UnusableMetric) {
        problems.push(proposal);
        statuses.push({ type: '' });
        await look.tell('Warning', proposal.reason, proposal.message);
      } else {
        statuses.push(proposal.status);
        if (best.replicas === 0 || proposal.replicas > best.replicas) best = proposal;
      }
    }
    look.setMetrics(statuses);
    const [first] = problems;
    // with a metric missing, replicas are not removed
    if (first !== undefined && (problems.length === metrics.length || best.replicas < specReplicas)) {
      const count = `${problems.length} invalid out of ${metrics.length}`;
      await look.failToCompute(specReplicas, {
        reason: first.reason,
        message: `the HPA was unable to compute the replica count: ${first.message}`,
        event: `invalid metrics (${count}), first error is: ${first.whole}`,
      });
    }
    look.setCondition('ScalingActive', 'True', [
      'ValidMetricFound',
      `the HPA was able to successfully calculate a replica count from ${best.name}`,
    ]);
    return best;
  }

  async #podsOf(key: string, look: Look, scale: Scale) {
    const selector = scale.status?.selector ?? '';
    const current = scale.spec?.replicas ?? 0;
    if (selector === '') {
      await look.tell('Warning', 'SelectorRequired', 'selector is required');
      const message = "the HPA target's scale is missing a selector";
      return look.failToCompute(current, { reason: 'InvalidSelector', message, event: 'selector is required' });
    }
    this.#selectors.set(key, selector);
    const { namespace = '' } = look.autoscaler.metadata;
    const pods = [...this.#pods.inNamespace(namespace)].filter(podFilter(selector));
    const rivals = this.#rivals(key, pods);
    if (rivals.length > 0) {
      const names = [key, ...rivals].map((one) => `{${one.slice(one.indexOf('/') + 1)} ${namespace}}`).join(' ');
      const message = `pods by selector ${selector} are controlled by multiple HPAs: [${names}]`;
      await look.tell('Warning', 'AmbiguousSelector', message);
      return look.failToCompute(current, { reason: 'AmbiguousSelector', message, event: message });
    }
    return { selector, pods };
  }

  /** Other autoscalers that select one of these pods. */
  #rivals(key: string, pods: readonly Pod[]): readonly string[] {
    const namespace = key.slice(0, key.indexOf('/') + 1);
    return [...this.#selectors]
      .filter(([other, selector]) => other !== key && other.startsWith(namespace) && pods.some(podFilter(selector)))
      .map(([other]) => other);
  }
}

const scalePath = (resource: StoredResource, namespace: string, name: string): string =>
  `${pathOf(resource, { namespace, name })}/scale`;

function podFilter(selector: string): (pod: Pod) => boolean {
  const requirements = parseLabelSelector(selector);
  return ({ metadata }) => matchesLabels(requirements, metadata.labels);
}

const fractionOf = (text: string): number =>
  Number(atScale(parseQuantity(text) ?? { digits: 0n, scale: 0, format: 'decimal' }, -9)) / 1e9;

function tolerancesOf({ spec }: HorizontalPodAutoscaler) {
  const toleranceOf = (text: string | undefined) => (text === undefined ? usualTolerance : fractionOf(text));
  const { scaleUp, scaleDown } = spec?.behavior ?? {};
  return { up: toleranceOf(scaleUp?.tolerance), down: toleranceOf(scaleDown?.tolerance) };
}

/** One look at an autoscaler: what its status will be. */
class Look {
  readonly autoscaler: HorizontalPodAutoscaler;
  readonly #events: EventRecorder;
  readonly #time: string;
  status: Status;

  constructor({ clock }: ControllerContext, events: EventRecorder, autoscaler: HorizontalPodAutoscaler) {
    this.#events = events;
    this.#time = formatTime(clock.now());
    this.autoscaler = autoscaler;
    this.status = autoscaler.status ?? {};
  }

  tell(type: 'Normal' | 'Warning', reason: string, message: string): Promise<void> {
    return this.#events.tell(this.autoscaler, { type, reason, message });
  }

  setCondition(type: string, status: string, [reason, message]: readonly string[]): void {
    const { conditions = [] } = this.status;
    const before = conditions.find((one) => one.type === type);
    const lastTransitionTime = before?.status === status ? before.lastTransitionTime : this.#time;
    const next = { type, status, lastTransitionTime, reason, message } as Conditions[number];
    const others =
      before === undefined ? [...conditions, next] : conditions.map((one) => (one === before ? next : one));
    this.status = { ...this.status, conditions: others };
  }

  setMetrics(currentMetrics: readonly MetricStatus[] | null): void {
    this.status = { ...this.status, currentMetrics } as unknown as Status;
  }

  setReplicas(currentReplicas: number, desiredReplicas: number): void {
    this.status = {
      ...this.status,
      ...{ currentReplicas: unlessZero(currentReplicas), desiredReplicas },
      ...(currentReplicas === desiredReplicas ? {} : { lastScaleTime: this.#time }),
    } as Status;
  }

  /** The number of replicas is known, and the desired one is not. */
  keepDesired(currentReplicas: number): void {
    this.status = { ...this.status, currentReplicas: unlessZero(currentReplicas) } as Status;
  }

  async failToGetScale(message: string): Promise<never> {
    await this.tell('Warning', 'FailedGetScale', message);
    this.setCondition('AbleToScale', 'False', [
      'FailedGetScale',
      `the HPA controller was unable to get the target's current scale: ${message}`,
    ]);
    throw new Stopped(message);
  }

  async failToCompute(
    currentReplicas: number,
    { reason, message, event }: { reason: string; message: string; event: string },
  ): Promise<never> {
    this.setCondition('ScalingActive', 'False', [reason, message]);
    this.keepDesired(currentReplicas);
    await this.tell('Warning', 'FailedComputeMetricsReplicas', event);
    throw new Stopped(message);
  }
}
