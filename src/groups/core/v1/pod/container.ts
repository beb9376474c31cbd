// Types of container: Container, ContainerPort, ContainerResizePolicy and others.

import { bool, field, int32, listOf, string, struct, within } from '../../../../schema/types.ts';
import { envFromSource, envVar } from './environment.ts';
import { lifecycle, probe } from './probe.ts';
import { resourceRequirements } from './resources.ts';
import { securityContext } from './security-context.ts';

const home = 'core/v1';

export const containerPort = struct(home, 'ContainerPort', 'A network port that a container listens on.', () => ({
  name: field(1, string, {
    about: 'Optional name, unique in the pod, by which services and probes may refer to the port.',
  }),
  hostPort: field(2, int32, {
    about: 'Port to open on the node and forward to the container; rarely needed, 1 to 65535.',
  }),
  containerPort: field(3, int32, {
    always: true,
    required: true,
    about: 'Port number the container listens on, 1 to 65535.',
  }),
  protocol: field(4, string, {
    goType: 'Protocol',
    default: 'TCP',
    enum: ['SCTP', 'TCP', 'UDP'],
    about: 'Transport protocol of the port: TCP (default), UDP or SCTP.',
  }),
  hostIP: field(5, string, { about: 'Node address on which hostPort is opened; all addresses if left out.' }),
}));

const containerResizePolicy = struct(
  home,
  'ContainerResizePolicy',
  'What happens to a container when one of its resources is changed in place.',
  () => ({
    resourceName: field(1, string, {
      goType: 'ResourceName',
      always: true,
      required: true,
      about: 'Resource this rule is for: cpu or memory.',
    }),
    restartPolicy: field(2, string, {
      goType: 'ResourceResizeRestartPolicy',
      always: true,
      required: true,
      about: 'NotRequired (default) to apply the change live, or RestartContainer.',
    }),
  }),
);

const containerRestartRuleOnExitCodes = struct(
  home,
  'ContainerRestartRuleOnExitCodes',
  'A test on the exit code of a container.',
  () => ({
    operator: field(1, string, {
      goType: 'ContainerRestartRuleOnExitCodesOperator',
      required: true,
      about: 'In matches if the code is among the values, NotIn if it is not.',
    }),
    values: field(2, listOf(int32), { listType: 'set', about: 'Exit codes to compare with, at most 255 of them.' }),
  }),
);

export const containerRestartRule = struct(
  home,
  'ContainerRestartRule',
  'A rule that decides whether an exited container is started again.',
  () => ({
    action: field(1, string, {
      goType: 'ContainerRestartRuleAction',
      required: true,
      about: 'What to do on a match: Restart, or RestartAllContainers to restart the whole pod in place.',
    }),
    exitCodes: field(2, containerRestartRuleOnExitCodes, {
      pointer: true,
      about: 'Exit codes of the container for which this rule applies.',
    }),
  }),
);

export const volumeMount = struct(home, 'VolumeMount', 'Mounts a volume of the pod into a container.', () => ({
  name: field(1, string, {
    always: true,
    required: true,
    about: 'Name of the volume, as listed in volumes of the pod.',
  }),
  readOnly: field(2, bool, { about: 'Mount without write access; false by default.' }),
  recursiveReadOnly: field(7, string, {
    goType: 'RecursiveReadOnlyMode',
    pointer: true,
    about: 'Whether nested mounts are read-only as well: Disabled (default), IfPossible or Enabled; needs readOnly.',
  }),
  mountPath: field(3, string, {
    always: true,
    required: true,
    about: 'Path in the container at which the volume appears; must not contain ":".',
  }),
  subPath: field(4, string, { about: 'Path inside the volume to mount instead of its root.' }),
  mountPropagation: field(5, string, {
    goType: 'MountPropagationMode',
    pointer: true,
    enum: ['Bidirectional', 'HostToContainer', 'None'],
    about: 'How later mounts pass between host and container: None (default), HostToContainer or Bidirectional.',
  }),
  subPathExpr: field(6, string, {
    about: 'Like subPath, but $(VAR) references to container variables are expanded; exclusive with subPath.',
  }),
}));

export const volumeDevice = struct(home, 'VolumeDevice', 'Exposes a raw block volume inside a container.', () => ({
  name: field(1, string, {
    always: true,
    required: true,
    about: 'Name of the pod volume, which must be a persistent volume claim.',
  }),
  devicePath: field(2, string, {
    always: true,
    required: true,
    about: 'Path in the container at which the device appears.',
  }),
}));

export const container = struct(
  home,
  'Container',
  'One container of a pod: its image, command, environment, resources and checks.',
  () => ({
    name: field(1, string, {
      always: true,
      required: true,
      about: 'Name of the container, a DNS label unique within the pod; cannot be changed.',
    }),
    image: field(2, string, {
      about: 'Image to run, such as registry.example/app:1.2; without a registry the runtime default applies.',
    }),
    command: field(3, listOf(string), {
      listType: 'atomic',
      about: 'Program to start, replacing the image ENTRYPOINT; not run through a shell, $(VAR) is expanded.',
    }),
    args: field(4, listOf(string), {
      listType: 'atomic',
      about: 'Arguments for the program, replacing the image CMD; $(VAR) is expanded, $$ escapes it.',
    }),
    workingDir: field(5, string, { about: 'Directory in which the program starts; the image decides if left out.' }),
    ports: field(6, listOf(containerPort), {
      listType: 'map',
      mapKeys: ['containerPort', 'protocol'],
      patchStrategy: 'merge',
      patchMergeKey: 'containerPort',
      about: 'Ports the container listens on; mostly informative, ports not listed here are reachable too.',
    }),
    envFrom: field(19, listOf(envFromSource), {
      listType: 'atomic',
      about: 'ConfigMaps and Secrets whose keys all become environment variables; env entries win over these.',
    }),
    env: field(7, listOf(envVar), {
      listType: 'map',
      mapKeys: ['name'],
      patchStrategy: 'merge',
      patchMergeKey: 'name',
      about: 'Environment variables to set, one entry per name.',
    }),
    resources: field(8, resourceRequirements, {
      always: true,
      about: 'CPU, memory and other resources the container requests and is limited to.',
    }),
    resizePolicy: field(23, listOf(containerResizePolicy), {
      listType: 'atomic',
      about: 'Per resource, whether changing its amount restarts the container.',
    }),
    restartPolicy: field(24, string, {
      goType: 'ContainerRestartPolicy',
      pointer: true,
      gate: 'ContainerRestartRules',
      free: 'Always',
      about: 'Overrides the restart policy of the pod for this container; Always on an init container makes a sidecar.',
    }),
    restartPolicyRules: field(25, listOf(containerRestartRule), {
      listType: 'atomic',
      gate: 'ContainerRestartRules',
      about:
        'Rules checked in order when the container exits; the first match decides, otherwise restartPolicy applies.',
    }),
    volumeMounts: field(9, listOf(volumeMount), {
      listType: 'map',
      mapKeys: ['mountPath'],
      patchStrategy: 'merge',
      patchMergeKey: 'mountPath',
      about: 'Pod volumes to mount into the file system of the container.',
    }),
    volumeDevices: field(21, listOf(volumeDevice), {
      listType: 'map',
      mapKeys: ['devicePath'],
      patchStrategy: 'merge',
      patchMergeKey: 'devicePath',
      about: 'Raw block volumes to expose as devices inside the container.',
    }),
    livenessProbe: field(10, probe, {
      pointer: true,
      about: 'Periodic check that the container is alive; it is restarted after enough failures.',
    }),
    readinessProbe: field(11, probe, {
      pointer: true,
      about: 'Periodic check that the container can serve; while failing, the pod gets no service traffic.',
    }),
    startupProbe: field(22, probe, {
      pointer: true,
      about: 'Check that the container has started; other probes wait until it succeeds.',
    }),
    lifecycle: field(12, lifecycle, {
      pointer: true,
      about: 'Actions to take right after the start and before the stop of the container.',
    }),
    terminationMessagePath: field(13, string, {
      about: 'File inside the container from which the final status message is read; /dev/termination-log by default.',
    }),
    terminationMessagePolicy: field(20, string, {
      goType: 'TerminationMessagePolicy',
      enum: ['FallbackToLogsOnError', 'File'],
      about:
        'Source of the final message: File (default), or FallbackToLogsOnError to use log output if the file is empty.',
    }),
    imagePullPolicy: field(14, string, {
      goType: 'PullPolicy',
      enum: ['Always', 'IfNotPresent', 'Never'],
      about: 'When to pull the image: Always, IfNotPresent or Never; defaults to Always only for the latest tag.',
    }),
    securityContext: field(15, securityContext, {
      pointer: true,
      about: 'Security settings of this container; they win over those of the pod.',
    }),
    stdin: field(16, bool, {
      about: 'Keep a standard input buffer open for the container; otherwise reads return end of file.',
    }),
    stdinOnce: field(17, bool, {
      about: 'Close standard input after the first attached client disconnects; only useful with stdin.',
    }),
    tty: field(18, bool, { about: 'Allocate a terminal for the container; needs stdin to be true.' }),
  }),
);

const ephemeralContainerCommonFields = {
  name: field(1, string, {
    always: true,
    required: true,
    about: 'Name of the ephemeral container, unique among all containers of the pod.',
  }),
  image: field(2, string, { about: 'Image to run, usually one that carries debugging tools.' }),
  command: field(3, listOf(string), {
    listType: 'atomic',
    about: 'Program to start, replacing the image ENTRYPOINT; not run through a shell.',
  }),
  args: field(4, listOf(string), {
    listType: 'atomic',
    about: 'Arguments for the program, replacing the CMD of the image.',
  }),
  workingDir: field(5, string, { about: 'Directory in which the program starts; the image decides if left out.' }),
  ports: field(6, listOf(containerPort), {
    listType: 'map',
    mapKeys: ['containerPort', 'protocol'],
    patchStrategy: 'merge',
    patchMergeKey: 'containerPort',
    about: 'Must not be set for ephemeral containers.',
  }),
  envFrom: field(19, listOf(envFromSource), {
    listType: 'atomic',
    about: 'ConfigMaps and Secrets whose keys all become environment variables; env entries win.',
  }),
  env: field(7, listOf(envVar), {
    listType: 'map',
    mapKeys: ['name'],
    patchStrategy: 'merge',
    patchMergeKey: 'name',
    about: 'Environment variables to set, one entry per name.',
  }),
  resources: field(8, resourceRequirements, {
    always: true,
    about: 'Must not be set; ephemeral containers use spare resources already given to the pod.',
  }),
  resizePolicy: field(23, listOf(containerResizePolicy), {
    listType: 'atomic',
    about: 'Must not be set for ephemeral containers.',
  }),
  restartPolicy: field(24, string, {
    goType: 'ContainerRestartPolicy',
    pointer: true,
    gate: 'ContainerRestartRules',
    free: 'Always',
    about: 'Must not be set, since ephemeral containers are never restarted.',
  }),
  restartPolicyRules: field(25, listOf(containerRestartRule), {
    listType: 'atomic',
    gate: 'ContainerRestartRules',
    about: 'Must not be set, since ephemeral containers are never restarted.',
  }),
  volumeMounts: field(9, listOf(volumeMount), {
    listType: 'map',
    mapKeys: ['mountPath'],
    patchStrategy: 'merge',
    patchMergeKey: 'mountPath',
    about: 'Pod volumes to mount; subPath mounts are not allowed here.',
  }),
  volumeDevices: field(21, listOf(volumeDevice), {
    listType: 'map',
    mapKeys: ['devicePath'],
    patchStrategy: 'merge',
    patchMergeKey: 'devicePath',
    about: 'Raw block volumes to expose as devices inside the container.',
  }),
  livenessProbe: field(10, probe, { pointer: true, about: 'Must not be set for ephemeral containers.' }),
  readinessProbe: field(11, probe, { pointer: true, about: 'Must not be set for ephemeral containers.' }),
  startupProbe: field(22, probe, { pointer: true, about: 'Must not be set for ephemeral containers.' }),
  lifecycle: field(12, lifecycle, { pointer: true, about: 'Must not be set for ephemeral containers.' }),
  terminationMessagePath: field(13, string, {
    about: 'File inside the container with its final status message; /dev/termination-log by default.',
  }),
  terminationMessagePolicy: field(20, string, {
    goType: 'TerminationMessagePolicy',
    enum: ['FallbackToLogsOnError', 'File'],
    about: 'Source of the final message: File (default) or FallbackToLogsOnError.',
  }),
  imagePullPolicy: field(14, string, {
    goType: 'PullPolicy',
    enum: ['Always', 'IfNotPresent', 'Never'],
    about: 'When to pull the image: Always, IfNotPresent or Never; Always by default for the latest tag.',
  }),
  securityContext: field(15, securityContext, {
    pointer: true,
    about: 'Security settings of this container; they win over those of the pod.',
  }),
  stdin: field(16, bool, { about: 'Keep standard input open so that a client can attach and type.' }),
  stdinOnce: field(17, bool, { about: 'Close standard input after the first attached client disconnects.' }),
  tty: field(18, bool, { about: 'Allocate a terminal for the container; needs stdin to be true.' }),
};

export const ephemeralContainer = struct(
  home,
  'EphemeralContainer',
  'A temporary container added to a running pod, usually for debugging; it is never restarted.',
  () => ({
    ...within(1, 'EphemeralContainerCommon', ephemeralContainerCommonFields),
    targetContainerName: field(2, string, {
      about: 'Container of the pod whose process namespace is joined, so its processes are visible.',
    }),
  }),
);
