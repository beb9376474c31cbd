import { describe, expect, test } from 'vitest';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import type { Behaviour } from './behaviour.ts';
import type { Occurrence } from './container-state.ts';
import { fullImageName } from './image-names.ts';
import { freshPod, isFinished, lookAtPod, type PodState } from './pod-machine.ts';
import { planOf } from './pod-plan.ts';
import { type PodStatus, podNameOf, podStatusOf } from './pod-status.ts';
import { recoverPod } from './recover.ts';
import { type SimulationRule, SimulationRules } from './rules.ts';

type Spec = NonNullable<Pod['spec']>;

const start = Date.parse('2026-01-01T00:00:00Z');

const podOf = (spec: Spec = {}): Pod => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'web', namespace: 'shop', uid: 'uid-1', generation: 1 },
  spec: { containers: [{ name: 'c', image: 'nginx' }], ...spec },
});

const rule = (container: string, behaviour: Behaviour): SimulationRule => ({ match: { container }, behaviour });

/** A pod on a node, looked at whenever something is due. */
class Life {
  pod: Pod;
  readonly rules: SimulationRules;
  readonly occurrences: Occurrence[] = [];
  state: PodState = freshPod(start);
  now = start;
  nextAt = start;

  constructor(pod: Pod, ...rules: readonly SimulationRule[]) {
    this.pod = pod;
    this.rules = new SimulationRules(rules);
    this.until(0);
  }

  /** Lives on until so many seconds after the start; in one look when `isJump`. */
  until(seconds: number, isJump = false): PodStatus {
    const end = start + seconds * 1000;
    if (!isJump) while (this.nextAt <= end && this.nextAt > this.now) this.look(this.nextAt);
    this.look(end);
    return this.status;
  }

  delete(graceSeconds: number): void {
    const deletionTimestamp = new Date(this.now + graceSeconds * 1000).toISOString();
    this.pod = { ...this.pod, metadata: { ...this.pod.metadata, deletionTimestamp } };
    this.look(this.now);
  }

  look(now: number): void {
    this.now = now;
    const plan = planOf(this.pod, this.rules);
    const { deletionTimestamp } = this.pod.metadata;
    const deletion = deletionTimestamp === undefined ? undefined : { deadline: Date.parse(deletionTimestamp) };
    const look = lookAtPod(this.state, { plan, now, podName: podNameOf(this.pod), deletion });
    this.state = look.state;
    this.nextAt = look.nextAt;
    this.occurrences.push(...look.occurrences);
    const addresses = { host: '100.64.0.1', pod: '10.128.0.1' };
    this.pod = { ...this.pod, status: podStatusOf(this.pod, plan, this.state, addresses, now) };
  }

  get status(): PodStatus {
    return this.pod.status as PodStatus;
  }

  get isFinished(): boolean {
    return isFinished(planOf(this.pod, this.rules), this.state);
  }

  get reasons(): string {
    return this.occurrences.map(({ reason }) => reason).join(' ');
  }

  /** Phase, then the containers with their state, readiness and restarts. */
  get summary(): string {
    const { initContainerStatuses = [], containerStatuses = [], phase } = this.status;
    const all = [...initContainerStatuses, ...containerStatuses].map(({ name, state = {}, ready, restartCount }) => {
      const text = state.running ? 'running' : (state.waiting?.reason ?? `${state.terminated?.reason}`);
      return `${name}:${text}${ready ? '+' : ''}${restartCount ? restartCount : ''}`;
    });
    return [phase, ...all].join(' ');
  }

  condition(type: string): string {
    const { status, reason = '' } = this.status.conditions?.find((one) => one.type === type) ?? {};
    return `${status} ${reason}`.trim();
  }
}

const job: Spec = { restartPolicy: 'Never' };
const onFailure: Spec = { restartPolicy: 'OnFailure' };
const twoInits: Spec = {
  initContainers: [
    { name: 'a', image: 'i' },
    { name: 'b', image: 'i' },
  ],
};
const sidecar: Spec = { initContainers: [{ name: 's', image: 'i', restartPolicy: 'Always' }] };

/** A story: seconds, and the summary of the pod then. */
const stories: readonly (readonly [
  title: string,
  spec: Spec,
  rules: readonly SimulationRule[],
  story: Record<number, string>,
])[] = [
  ['a server is ready at once', {}, [], { 0: 'Running c:running+', 1000: 'Running c:running+' }],
  ['a task ends well', job, [], { 0: 'Running c:running+', 1: 'Succeeded c:Completed' }],
  [
    'pull, start and readiness take their time',
    {},
    [rule('c', { pullSeconds: 2, startSeconds: 1, readySeconds: 3 })],
    {
      0: 'Pending c:ContainerCreating',
      2: 'Pending c:ContainerCreating',
      3: 'Running c:running',
      6: 'Running c:running+',
    },
  ],
  ['a task fails for good', job, [rule('c', { exitCode: 3 })], { 0: 'Running c:running+', 1: 'Failed c:Error' }],
  [
    'a task that fails is restarted with pauses',
    onFailure,
    [rule('c', { crashes: 2, runSeconds: 1 })],
    {
      1: 'Running c:running+1',
      2: 'Running c:CrashLoopBackOff1',
      11: 'Running c:CrashLoopBackOff1',
      12: 'Running c:running+2',
      13: 'Succeeded c:Completed2',
    },
  ],
  [
    'a server in a crash loop',
    {},
    [rule('c', { crashLoop: true })],
    {
      0: 'Running c:CrashLoopBackOff1',
      10: 'Running c:CrashLoopBackOff2',
      29: 'Running c:CrashLoopBackOff2',
      30: 'Running c:CrashLoopBackOff3',
      70: 'Running c:CrashLoopBackOff4',
    },
  ],
  [
    'a server heals',
    {},
    [rule('c', { crashes: 2 })],
    { 0: 'Running c:CrashLoopBackOff1', 10: 'Running c:running+2', 5000: 'Running c:running+2' },
  ],
  [
    'memory runs out',
    job,
    [rule('c', { oom: true, runSeconds: 2 })],
    { 1: 'Running c:running+', 2: 'Failed c:OOMKilled' },
  ],
  [
    'an image that cannot be pulled',
    {},
    [rule('c', { pullError: 'not found' })],
    {
      0: 'Pending c:ErrImagePull',
      1: 'Pending c:ImagePullBackOff',
      9: 'Pending c:ImagePullBackOff',
      10: 'Pending c:ErrImagePull',
      11: 'Pending c:ImagePullBackOff',
      29: 'Pending c:ImagePullBackOff',
      30: 'Pending c:ErrImagePull',
    },
  ],
  [
    'a container that is never ready',
    {},
    [rule('c', { neverReady: true })],
    { 0: 'Running c:running', 900: 'Running c:running' },
  ],
  [
    'readiness is lost',
    {},
    [rule('c', { failReadinessAfterSeconds: 5 })],
    { 0: 'Running c:running+', 5: 'Running c:running', 60: 'Running c:running' },
  ],
  [
    'liveness fails',
    {},
    [rule('c', { failLivenessAfterSeconds: 5 })],
    { 4: 'Running c:running+', 5: 'Running c:running+1', 10: 'Running c:CrashLoopBackOff1', 20: 'Running c:running+2' },
  ],
  [
    'init containers run in order',
    twoInits,
    [rule('a', { runSeconds: 1 }), rule('b', { runSeconds: 2 })],
    {
      0: 'Pending a:running b:PodInitializing c:PodInitializing',
      1: 'Pending a:Completed+ b:running c:PodInitializing',
      3: 'Running a:Completed+ b:Completed+ c:running+',
    },
  ],
  [
    'an init container fails for good',
    { ...twoInits, ...job },
    [rule('a', { exitCode: 1, runSeconds: 1 })],
    { 1: 'Failed a:Error b:PodInitializing c:PodInitializing' },
  ],
  [
    'an init container is tried again',
    twoInits,
    [rule('a', { crashes: 1 })],
    { 0: 'Running a:Completed+1 b:Completed+ c:running+' },
  ],
  [
    'a sidecar starts first and stops last',
    { ...sidecar, ...job },
    [rule('s', { startSeconds: 1, stopSeconds: 2 }), rule('c', { runSeconds: 4 })],
    {
      0: 'Pending s:PodInitializing c:PodInitializing',
      1: 'Running s:running+ c:running+',
      5: 'Running s:running+ c:Completed',
      7: 'Succeeded s:Completed c:Completed',
    },
  ],
  [
    'a pod is active for too long',
    { ...job, activeDeadlineSeconds: 3 },
    [rule('c', { runSeconds: 100 })],
    { 2: 'Running c:running+', 3: 'Failed c:Error' },
  ],
];

describe('life of a pod', () => {
  test.each(stories)('%s', (_title, spec, rules, story) => {
    const life = new Life(podOf(spec), ...rules);
    const actual = Object.keys(story).map((seconds) => {
      life.until(Number(seconds));
      return [seconds, life.summary];
    });
    const expected = Object.entries(story).map(([seconds, text]) => [seconds, text]);
    expect(Object.fromEntries(actual)).toEqual(Object.fromEntries(expected));
  });

  test.each(stories)('%s: a late look finds the end of the story', (_title, spec, rules, story) => {
    const seconds = Math.max(...Object.keys(story).map(Number));
    const slow = new Life(podOf(spec), ...rules);
    slow.until(seconds);
    const late = new Life(podOf(spec), ...rules);
    late.until(seconds, true);
    expect(late.summary).toBe(slow.summary);
  });
});

test('events: those of a kubelet, in order', () => {
  const life = new Life(podOf({ containers: [{ name: 'c', image: 'nginx', imagePullPolicy: 'Always' }] }));
  expect(life.reasons).toBe('Pulling Pulled Created Started');
  life.delete(30);
  expect(life.reasons).toBe('Pulling Pulled Created Started Killing');
  expect(life.occurrences.at(-1)?.message).toBe('Stopping container c');
});

test('events: an image that is there is not pulled', () => {
  const life = new Life(podOf());
  expect(life.occurrences.map(({ message }) => message)).toEqual([
    'Container image "nginx" already present on machine and can be accessed by the pod',
    'Container created',
    'Container started',
  ]);
});

test('events: a crash loop names the restarted container', () => {
  const life = new Life(podOf(), rule('c', { crashLoop: true }));
  expect(life.occurrences.at(-1)).toEqual({
    type: 'Warning',
    reason: 'BackOff',
    message: 'Back-off restarting failed container c in pod web_shop(uid-1)',
    container: 'c',
  });
  expect(life.status.containerStatuses?.[0]?.state?.waiting?.message).toBe(
    'back-off 10s restarting failed container=c pod=web_shop(uid-1)',
  );
});

test('events: a pull that fails', () => {
  const life = new Life(podOf(), rule('c', { pullError: 'not found' }));
  life.until(1);
  expect(life.occurrences.map(({ type, reason, message }) => `${type} ${reason} ${message}`)).toEqual([
    'Normal Pulling Pulling image "nginx"',
    'Warning Failed Failed to pull image "nginx": not found',
    'Warning Failed Error: ErrImagePull',
    'Normal BackOff Back-off pulling image "nginx"',
  ]);
});

describe('deletion', () => {
  test('a server stops at once by default', () => {
    const life = new Life(podOf());
    life.delete(30);
    expect(life.isFinished).toBe(true);
    expect(life.summary).toBe('Succeeded c:Completed');
  });

  test('a container that takes too long is killed at the end of the grace period', () => {
    const life = new Life(podOf(), rule('c', { stopSeconds: 100 }));
    life.delete(30);
    life.until(29);
    expect([life.isFinished, life.summary]).toEqual([false, 'Running c:running+']);
    life.until(30);
    expect([life.isFinished, life.summary]).toEqual([true, 'Failed c:Error']);
    expect(life.status.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(137);
  });

  test('a shorter grace period ends the wait', () => {
    const life = new Life(podOf(), rule('c', { stopSeconds: 100 }));
    life.delete(30);
    life.until(5);
    life.delete(1);
    life.until(6);
    expect(life.isFinished).toBe(true);
  });

  test('sidecars stop after the main container', () => {
    const life = new Life(podOf(sidecar), rule('c', { stopSeconds: 3 }), rule('s', { stopSeconds: 2 }));
    life.delete(30);
    life.until(3);
    expect(life.summary).toBe('Running s:running+ c:Completed');
    life.until(5);
    expect(life.isFinished).toBe(true);
  });

  test('a pod that waits for its image is over at once', () => {
    const life = new Life(podOf(), rule('c', { pullSeconds: 60 }));
    life.delete(30);
    expect([life.isFinished, life.status.phase]).toEqual([true, 'Failed']);
  });

  test('a task that is interrupted has failed', () => {
    const life = new Life(podOf(job), rule('c', { runSeconds: 60 }));
    life.delete(30);
    expect(life.summary).toBe('Failed c:Error');
  });
});

describe('conditions', () => {
  test('of a pod that runs', () => {
    const { conditions = [] } = new Life(podOf()).status;
    expect(conditions.map(({ type, status }) => `${type}=${status}`)).toEqual([
      'PodReadyToStartContainers=True',
      'Initialized=True',
      'Ready=True',
      'ContainersReady=True',
      'PodScheduled=True',
    ]);
    expect(conditions[2]).toEqual({
      type: 'Ready',
      observedGeneration: 1,
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    });
  });

  test('name what is missing', () => {
    const life = new Life(podOf(twoInits), rule('a', { runSeconds: 5 }));
    const messages = life.status.conditions?.map(({ type, message }) => [type, message]);
    expect(Object.fromEntries(messages ?? [])).toMatchObject({
      Initialized: 'containers with incomplete status: [a b]',
      Ready: 'containers with unready status: [c]',
    });
  });

  test('readiness gates of other writers count', () => {
    const life = new Life(podOf({ readinessGates: [{ conditionType: 'example.com/gate' }] }));
    expect([life.condition('ContainersReady'), life.condition('Ready')]).toEqual([
      'True',
      'False ReadinessGatesNotReady',
    ]);
    const gate = { type: 'example.com/gate', status: 'True' };
    life.pod = { ...life.pod, status: { ...life.status, conditions: [gate, ...(life.status.conditions ?? [])] } };
    life.until(1);
    expect(life.condition('Ready')).toBe('True');
    expect(life.status.conditions?.[0]).toEqual(gate);
  });

  test('of a pod that is over', () => {
    const life = new Life(podOf(job));
    life.until(1);
    expect(['Initialized', 'Ready', 'ContainersReady'].map((type) => life.condition(type))).toEqual([
      'True PodCompleted',
      'False PodCompleted',
      'False PodCompleted',
    ]);
  });

  test('keep the time of their last change', () => {
    const life = new Life(podOf(), rule('c', { readySeconds: 5 }));
    life.until(10);
    const times = life.status.conditions?.map(({ type, lastTransitionTime }) => [type, lastTransitionTime]);
    expect(Object.fromEntries(times ?? [])).toMatchObject({
      Initialized: '2026-01-01T00:00:00Z',
      Ready: '2026-01-01T00:00:05Z',
    });
  });
});

test('status: a container that was restarted shows how it ended before', () => {
  const life = new Life(podOf(), rule('c', { crashes: 1, runSeconds: 2, exitCode: 4 }));
  life.until(2);
  const [status] = life.status.containerStatuses ?? [];
  expect(status?.lastState?.terminated).toMatchObject({
    exitCode: 4,
    reason: 'Error',
    startedAt: '2026-01-01T00:00:00Z',
    finishedAt: '2026-01-01T00:00:02Z',
  });
  expect(status?.lastState?.terminated?.containerID).not.toBe(status?.containerID);
});

test('status: a new image restarts its container', () => {
  const life = new Life(podOf());
  life.pod = { ...life.pod, spec: { containers: [{ name: 'c', image: 'nginx:2' }] } };
  life.until(1);
  expect(life.summary).toBe('Running c:running+1');
  expect(life.status.containerStatuses?.[0]?.image).toBe('docker.io/library/nginx:2');
  expect(life.reasons).toContain('Killing');
});

test('recovery: a node continues from the status alone', () => {
  const rules = [rule('c', { crashLoop: true, runSeconds: 1 })];
  const life = new Life(podOf(), ...rules);
  life.until(40);
  const other = new Life(podOf(), ...rules);
  other.pod = life.pod;
  other.state = recoverPod(life.pod, life.now) as PodState;
  other.look(life.now);
  expect(other.summary).toBe(life.summary);
  life.until(120);
  other.until(120);
  expect(other.summary).toBe(life.summary);
});

test.each([
  ['nginx', 'docker.io/library/nginx:latest'],
  ['nginx:1', 'docker.io/library/nginx:1'],
  ['team/app', 'docker.io/team/app:latest'],
  ['registry.k8s.io/pause:3', 'registry.k8s.io/pause:3'],
  ['localhost:5000/a', 'localhost:5000/a:latest'],
  ['nginx@sha256:ab', 'docker.io/library/nginx@sha256:ab'],
])('images: %s is %s', (image, expected) => {
  expect(fullImageName(image)).toBe(expected);
});
