// Objects that are large in every way a kind allows: one row a shape, as a client would send it.

export interface HostileShape {
  readonly title: string;
  readonly path: string;
  /** What is posted there; the path is only read where there is nothing. */
  readonly body?: () => object;
}

const core = '/api/v1/namespaces/default';
const apps = '/apis/apps/v1/namespaces/default';

/** What a list of a shape is long, of what it is meant to be. */
let scale = 1;
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: Math.max(1, Math.floor(count * scale)) }, (_, i) => make(i));
const record = (count: number, make: (index: number) => [string, unknown]): Record<string, unknown> =>
  Object.fromEntries(times(count, make));

const meta = (more: object = {}) => ({ name: 'large', ...more });
const configMap = (metadata: object, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: meta(metadata),
  ...more,
});
const container = { name: 'one', image: 'i' };
const pod = (spec: object, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: meta(metadata),
  spec: { containers: [container], ...spec },
});
const template = (spec: object) => ({ metadata: { labels: { a: 'b' } }, spec: { containers: [container], ...spec } });

const inPod = (title: string, spec: () => object, metadata: object = {}): HostileShape => ({
  title: `a pod of ${title}`,
  path: `${core}/pods`,
  body: () => pod(spec(), metadata),
});
const inContainer = (title: string, parts: () => object, more: () => object = () => ({})): HostileShape =>
  inPod(title, () => ({ containers: [{ ...container, ...parts() }], ...more() }));
const inMeta = (title: string, metadata: () => object): HostileShape => ({
  title: `metadata with ${title}`,
  path: `${core}/configmaps`,
  body: () => configMap(metadata()),
});
const of = (title: string, path: string, apiVersion: string, kind: string, rest: () => object): HostileShape => ({
  title,
  path,
  body: () => ({ apiVersion, kind, metadata: meta(), ...rest() }),
});

const crd = (title: string, schema: () => object, more: () => object = () => ({})): HostileShape => ({
  title: `a definition with ${title}`,
  path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  body: () => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'larges.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'larges', singular: 'large', kind: 'Large', listKind: 'LargeList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: schema() } } },
          ...more(),
        },
      ],
    },
  }),
});

function nested(depth: number): object {
  let schema: object = { type: 'string' };
  for (let i = 0; i < depth; i++) schema = { type: 'object', properties: { a: schema } };
  return schema;
}

const policy = (title: string, spec: () => object): HostileShape =>
  of(
    `a policy with ${title}`,
    '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    'admissionregistration.k8s.io/v1',
    'ValidatingAdmissionPolicy',
    () => ({
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        },
        validations: [{ expression: 'true' }],
        ...spec(),
      },
    }),
  );

const network = '/apis/networking.k8s.io/v1/namespaces/default';
const rbac = '/apis/rbac.authorization.k8s.io/v1';

export const metadataShapes: readonly HostileShape[] = [
  inMeta('many bad labels', () => ({ labels: record(60_000, (i) => [`l${i}!`, '_bad_']) })),
  inMeta('many good labels', () => ({ labels: record(60_000, (i) => [`example.com/l${i}`, `v${i}`]) })),
  inMeta('many annotations', () => ({ annotations: record(90_000, (i) => [`a${i}`, 'v']) })),
  inMeta('many bad annotations', () => ({ annotations: record(90_000, (i) => [`a${i}!`, 'v']) })),
  inMeta('many finalizers', () => ({ finalizers: times(90_000, (i) => `example.com/f${i}`) })),
  inMeta('many unqualified finalizers', () => ({ finalizers: times(90_000, (i) => `f${i}`) })),
  inMeta('many bad finalizers', () => ({ finalizers: times(90_000, (i) => `f/${i}!`) })),
  inMeta('many owners', () => ({
    ownerReferences: times(20_000, (i) => ({
      apiVersion: 'v1',
      kind: 'Node',
      name: `n${i}`,
      uid: `u${i}`,
      blockOwnerDeletion: true,
    })),
  })),
  inMeta('many controllers', () => ({
    ownerReferences: times(20_000, (i) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      name: `n${i}`,
      uid: `u${i}`,
      controller: true,
    })),
  })),
  inMeta('many times the same owner', () => ({
    ownerReferences: times(20_000, () => ({ apiVersion: 'v1', kind: 'Pod', name: 'n', uid: 'u' })),
  })),
  inMeta('many owners of the same identity', () => ({
    ownerReferences: times(20_000, (i) => ({ apiVersion: 'v1', kind: 'Pod', name: `n${i}`, uid: 'u' })),
  })),
  inMeta('many empty owners', () => ({ ownerReferences: times(90_000, () => ({})) })),
  inMeta('many managers', () => ({
    managedFields: times(30_000, (i) => ({
      manager: `m${i}`,
      operation: 'Update',
      apiVersion: 'v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': {} },
    })),
  })),
  inMeta('a finalizer of 2 MB', () => ({ finalizers: ['a'.repeat(2_000_000)] })),
  inMeta('a finalizer of many slashes', () => ({ finalizers: ['/'.repeat(1_000_000)] })),
  inMeta('a label of 2 MB', () => ({ labels: { [`${'a-'.repeat(1_000_000)}!`]: '-'.repeat(900_000) } })),
];

export const dataShapes: readonly HostileShape[] = [
  of('a map of many keys', `${core}/configmaps`, 'v1', 'ConfigMap', () => ({
    data: record(90_000, (i) => [`k${i}`, 'v']),
  })),
  of('a map of many bad keys', `${core}/configmaps`, 'v1', 'ConfigMap', () => ({
    data: record(90_000, (i) => [`k${i}!`, 'v']),
  })),
  of('a map of many keys twice', `${core}/configmaps`, 'v1', 'ConfigMap', () => ({
    data: record(40_000, (i) => [`k${i}`, 'v']),
    binaryData: record(40_000, (i) => [`k${i}`, 'dg==']),
  })),
  of('a secret of many keys', `${core}/secrets`, 'v1', 'Secret', () => ({
    data: record(90_000, (i) => [`k${i}`, 'dg==']),
  })),
  of('a secret of many bad keys', `${core}/secrets`, 'v1', 'Secret', () => ({
    stringData: record(90_000, (i) => [`k${i}!`, 'v']),
  })),
  of('a service account of many secrets', `${core}/serviceaccounts`, 'v1', 'ServiceAccount', () => ({
    secrets: times(60_000, (i) => ({ name: `s${i}` })),
    imagePullSecrets: times(20_000, (i) => ({ name: `s${i}` })),
  })),
  of('a quota of many measures', `${core}/resourcequotas`, 'v1', 'ResourceQuota', () => ({
    spec: { hard: record(60_000, (i) => [`example.com/r${i}`, '1']) },
  })),
  of('a quota of many bad measures', `${core}/resourcequotas`, 'v1', 'ResourceQuota', () => ({
    spec: { hard: record(60_000, (i) => [`r${i}!`, '-1']) },
  })),
  of('a quota of many scopes', `${core}/resourcequotas`, 'v1', 'ResourceQuota', () => ({
    spec: {
      scopes: times(30_000, (i) => `Scope${i}`),
      scopeSelector: { matchExpressions: times(20_000, (i) => ({ scopeName: `S${i}`, operator: 'In' })) },
    },
  })),
  of('a limit range of many limits', `${core}/limitranges`, 'v1', 'LimitRange', () => ({
    spec: { limits: times(20_000, () => ({ type: 'Container', max: { cpu: '1' }, min: { cpu: '2' } })) },
  })),
  of('a limit range of many resources', `${core}/limitranges`, 'v1', 'LimitRange', () => ({
    spec: {
      limits: [
        {
          type: 'Container',
          max: record(20_000, (i) => [`example.com/r${i}`, '1']),
          min: record(20_000, (i) => [`example.com/r${i}`, '2']),
          default: record(20_000, (i) => [`example.com/r${i}`, '3']),
        },
      ],
    },
  })),
  of('an event with a message of 2 MB', `${core}/events`, 'v1', 'Event', () => ({
    involvedObject: { namespace: 'default' },
    message: 'm'.repeat(2_000_000),
  })),
  of('endpoints of many addresses', `${core}/endpoints`, 'v1', 'Endpoints', () => ({
    subsets: [
      {
        addresses: times(40_000, (i) => ({ ip: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}` })),
        ports: times(10_000, (i) => ({ name: `p${i}`, port: i + 1 })),
      },
    ],
  })),
  of('endpoints of many bad subsets', `${core}/endpoints`, 'v1', 'Endpoints', () => ({
    subsets: times(20_000, () => ({ addresses: [{ ip: 'x' }], ports: [{ port: -1 }] })),
  })),
  of('a node of many taints', '/api/v1/nodes', 'v1', 'Node', () => ({
    spec: {
      taints: times(30_000, (i) => ({ key: `example.com/t${i}`, value: 'v', effect: 'NoSchedule' })),
      podCIDRs: times(20_000, (i) => `10.${i >> 8}.${i & 255}.0/24`),
    },
  })),
  of('a node of many images', '/api/v1/nodes', 'v1', 'Node', () => ({
    status: {
      images: times(20_000, (i) => ({ names: [`i${i}`, `j${i}`] })),
      addresses: times(20_000, (i) => ({ type: 'InternalIP', address: `10.0.${i >> 8}.${i & 255}` })),
      capacity: record(20_000, (i) => [`example.com/r${i}`, '1']),
    },
  })),
  of('a volume of many access modes', '/api/v1/persistentvolumes', 'v1', 'PersistentVolume', () => ({
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: times(30_000, (i) => `Mode${i}`),
      mountOptions: times(30_000, (i) => `o${i}`),
      hostPath: { path: '/a' },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: times(10_000, (i) => ({ matchExpressions: [{ key: `k${i}`, operator: 'Exists' }] })),
        },
      },
    },
  })),
  of('a claim of many access modes', `${core}/persistentvolumeclaims`, 'v1', 'PersistentVolumeClaim', () => ({
    spec: {
      accessModes: times(60_000, () => 'ReadWriteOnce'),
      resources: { requests: { storage: '1' } },
      selector: { matchExpressions: times(20_000, (i) => ({ key: `k${i}`, operator: 'Exists' })) },
    },
  })),
];

export const podShapes: readonly HostileShape[] = [
  inPod('a file at a path of slashes', () => ({
    volumes: [{ name: 'v', configMap: { name: 'c', items: [{ key: 'k', path: `a${'/'.repeat(1_000_000)}b` }] } }],
  })),
  inPod('many containers', () => ({
    containers: times(8000, (i) => ({
      name: `c${i}`,
      image: `registry.example.com/i${i}`,
      resources: { limits: { cpu: '1' }, requests: { cpu: '1' } },
      ports: [{ containerPort: 80, hostPort: i + 1 }],
      env: [{ name: 'A', value: 'b' }],
    })),
  })),
  inPod('many empty containers', () => ({ containers: times(60_000, () => ({})) })),
  inPod('many containers of the same name', () => ({ containers: times(20_000, () => container) })),
  inPod('many first containers', () => ({ initContainers: times(20_000, (i) => ({ name: `c${i}`, image: 'i' })) })),
  inContainer('many env entries', () => ({ env: times(30_000, (i) => ({ name: `E${i}`, value: `v${i}` })) })),
  inContainer('many times the same env entry', () => ({ env: times(30_000, () => ({ name: 'E', value: 'v' })) })),
  inContainer('many env entries from elsewhere', () => ({
    env: times(20_000, (i) => ({ name: `E${i}`, valueFrom: { secretKeyRef: { name: `s${i}`, key: 'k' } } })),
  })),
  inContainer('many bad env entries', () => ({ env: times(60_000, () => ({ name: '=', valueFrom: {} })) })),
  inContainer('many sources of env', () => ({
    envFrom: times(30_000, (i) => ({ configMapRef: { name: `c${i}` } })),
  })),
  inContainer('many ports', () => ({ ports: times(40_000, (i) => ({ containerPort: i + 1, name: `p${i}` })) })),
  inContainer('many times the same port', () => ({
    ports: times(40_000, () => ({ containerPort: 80, hostPort: 80 })),
  })),
  inContainer(
    'many volumes and mounts',
    () => ({ volumeMounts: times(12_000, (i) => ({ name: `v${i}`, mountPath: `/m/${i}` })) }),
    () => ({ volumes: times(12_000, (i) => ({ name: `v${i}`, emptyDir: {} })) }),
  ),
  inContainer(
    'many volumes and devices next to mounts',
    () => ({
      volumeMounts: times(15_000, (i) => ({ name: `v${i}`, mountPath: `/m/${i}` })),
      volumeDevices: times(15_000, (i) => ({ name: `d${i}`, devicePath: `/d/${i}` })),
    }),
    () => ({ volumes: times(6000, (i) => ({ name: `d${i}`, persistentVolumeClaim: { claimName: `c${i}` } })) }),
  ),
  inContainer('many resources', () => ({
    resources: {
      limits: record(30_000, (i) => [`example.com/r${i}`, '1']),
      requests: record(30_000, (i) => [`example.com/r${i}`, '1']),
    },
  })),
  inContainer(
    'many claims',
    () => ({ resources: { claims: times(20_000, (i) => ({ name: `c${i}` })) } }),
    () => ({ resourceClaims: times(20_000, (i) => ({ name: `c${i}`, resourceClaimName: `r${i}` })) }),
  ),
  inContainer('many capabilities', () => ({
    securityContext: {
      capabilities: { add: times(60_000, (i) => `CAP_${i}`), drop: times(60_000, (i) => `CAP_${i}`) },
    },
  })),
  inContainer('many arguments', () => ({ command: times(45_000, () => 'a'), args: times(45_000, () => 'b') })),
  inContainer('a probe of many headers', () => ({
    livenessProbe: { httpGet: { port: 80, httpHeaders: times(60_000, (i) => ({ name: `H${i}`, value: 'v' })) } },
  })),
  inPod('many tolerations', () => ({
    tolerations: times(30_000, (i) => ({ key: `example.com/t${i}`, operator: 'Exists', effect: 'NoSchedule' })),
  })),
  inPod('many bad tolerations', () => ({ tolerations: times(40_000, () => ({ key: '!', operator: 'X' })) })),
  inPod('many topology constraints', () => ({
    topologySpreadConstraints: times(10_000, (i) => ({
      maxSkew: 1,
      topologyKey: `k${i}`,
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { a: 'b' } },
    })),
  })),
  inPod('many times the same topology constraint', () => ({
    topologySpreadConstraints: times(20_000, () => ({
      maxSkew: 1,
      topologyKey: 'k',
      whenUnsatisfiable: 'DoNotSchedule',
    })),
  })),
  inPod('a topology constraint of many label keys', () => ({
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'k',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchExpressions: times(20_000, (i) => ({ key: `k${i}`, operator: 'Exists' })) },
        matchLabelKeys: times(20_000, (i) => `k${i}`),
      },
    ],
  })),
  inPod('many node selector terms', () => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: times(20_000, (i) => ({
            matchExpressions: [{ key: `k${i}`, operator: 'In', values: [`v${i}`] }],
          })),
        },
      },
    },
  })),
  inPod('many affinity terms', () => ({
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: times(10_000, (i) => ({
          topologyKey: `k${i}`,
          labelSelector: { matchLabels: { [`l${i}`]: 'v' } },
          namespaces: [`n${i}`],
        })),
      },
    },
  })),
  inPod('an affinity term of many namespaces', () => ({
    affinity: {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          {
            topologyKey: 'k',
            namespaces: times(60_000, (i) => `n${i}`),
            matchLabelKeys: times(20_000, (i) => `k${i}`),
            mismatchLabelKeys: times(20_000, (i) => `k${i}`),
            labelSelector: { matchExpressions: times(10_000, (i) => ({ key: `k${i}`, operator: 'Exists' })) },
          },
        ],
      },
    },
  })),
  inPod('many node selector labels', () => ({ nodeSelector: record(60_000, (i) => [`l${i}`, 'v']) })),
  inPod('many host aliases', () => ({
    hostAliases: times(30_000, () => ({ ip: '10.0.0.1', hostnames: ['a', 'b'] })),
  })),
  inPod('many name servers', () => ({
    dnsPolicy: 'None',
    dnsConfig: {
      nameservers: times(30_000, () => '10.0.0.1'),
      searches: times(30_000, (i) => `s${i}`),
      options: times(30_000, (i) => ({ name: `o${i}` })),
    },
  })),
  inPod('many pull secrets and gates', () => ({
    imagePullSecrets: times(30_000, (i) => ({ name: `s${i}` })),
    schedulingGates: times(30_000, (i) => ({ name: `g${i}` })),
    readinessGates: times(20_000, (i) => ({ conditionType: `g${i}` })),
  })),
  inPod('many sysctls and groups', () => ({
    securityContext: {
      sysctls: times(30_000, (i) => ({ name: `kernel.s${i}`, value: '1' })),
      supplementalGroups: times(60_000, (i) => i),
    },
  })),
  inPod('a projected volume of many sources', () => ({
    volumes: [
      {
        name: 'v',
        projected: {
          sources: times(20_000, (i) => ({ configMap: { name: `c${i}`, items: [{ key: 'k', path: `p/${i}` }] } })),
        },
      },
    ],
  })),
  inPod('a volume of many items', () => ({
    volumes: [{ name: 'v', configMap: { name: 'c', items: times(40_000, (i) => ({ key: `k${i}`, path: `p/${i}` })) } }],
  })),
  inPod('many volumes of the same claim', () => ({
    volumes: times(20_000, (i) => ({ name: `v${i}`, persistentVolumeClaim: { claimName: 'c' } })),
  })),
  inPod('many volumes without a source', () => ({ volumes: times(60_000, () => ({ name: 'v' })) })),
];

export const workloadShapes: readonly HostileShape[] = [
  of('a deployment of many requirements', `${apps}/deployments`, 'apps/v1', 'Deployment', () => ({
    spec: {
      selector: {
        matchLabels: { a: 'b' },
        matchExpressions: times(60_000, (i) => ({ key: `k${i}`, operator: 'DoesNotExist' })),
      },
      template: template({}),
    },
  })),
  of('a deployment of many bad requirements', `${apps}/deployments`, 'apps/v1', 'Deployment', () => ({
    spec: {
      selector: { matchExpressions: times(60_000, () => ({ key: '!', operator: 'X', values: ['!'] })) },
      template: template({}),
    },
  })),
  of('a deployment of many values', `${apps}/deployments`, 'apps/v1', 'Deployment', () => ({
    spec: {
      selector: { matchExpressions: [{ key: 'a', operator: 'In', values: times(90_000, (i) => `v${i}`) }] },
      template: template({}),
    },
  })),
  of('a stateful set of many claims', `${apps}/statefulsets`, 'apps/v1', 'StatefulSet', () => ({
    spec: {
      serviceName: 's',
      selector: { matchLabels: { a: 'b' } },
      template: template({}),
      volumeClaimTemplates: times(15_000, (i) => ({
        metadata: { name: `c${i}` },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } },
      })),
    },
  })),
  of('a deployment of many containers', `${apps}/deployments`, 'apps/v1', 'Deployment', () => ({
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: template({
        containers: times(20_000, (i) => ({ name: `c${i}`, image: 'i', ports: [{ containerPort: 80 }] })),
      }),
    },
  })),
  of('a job of many failure rules', '/apis/batch/v1/namespaces/default/jobs', 'batch/v1', 'Job', () => ({
    spec: {
      template: template({ restartPolicy: 'Never' }),
      podFailurePolicy: {
        rules: times(10_000, () => ({
          action: 'Ignore',
          onExitCodes: { operator: 'In', values: [3, 2, 1] },
          onPodConditions: [{ type: '!', status: 'x' }],
        })),
      },
      completionMode: 'Indexed',
      completions: 1000,
      backoffLimitPerIndex: 1,
      successPolicy: { rules: times(10_000, () => ({ succeededIndexes: '0-999' })) },
    },
  })),
  of('a job with 1 MB of indexes', '/apis/batch/v1/namespaces/default/jobs', 'batch/v1', 'Job', () => ({
    spec: {
      template: template({ restartPolicy: 'Never' }),
      completionMode: 'Indexed',
      completions: 1_000_000,
      successPolicy: { rules: [{ succeededIndexes: times(45_000, (i) => i * 2).join(',') }] },
    },
  })),
  of('a cron job with a schedule of 1 MB', '/apis/batch/v1/namespaces/default/cronjobs', 'batch/v1', 'CronJob', () => ({
    spec: {
      schedule: `${'0,'.repeat(500_000)}0 * * * *`,
      jobTemplate: { spec: { template: template({ restartPolicy: 'Never' }) } },
    },
  })),
  of(
    'an autoscaler of many metrics',
    '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
    () => ({
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
        maxReplicas: 3,
        metrics: times(15_000, () => ({
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
        })),
        behavior: {
          scaleUp: { policies: times(10_000, () => ({ type: 'Pods', value: 1, periodSeconds: 5 })) },
        },
      },
    }),
  ),
  of(
    'a budget of many requirements',
    '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
    'policy/v1',
    'PodDisruptionBudget',
    () => ({
      spec: {
        minAvailable: 1,
        selector: { matchExpressions: times(60_000, (i) => ({ key: `k${i}`, operator: 'Exists' })) },
      },
    }),
  ),
];

export const networkShapes: readonly HostileShape[] = [
  of('a service of many ports', `${core}/services`, 'v1', 'Service', () => ({
    spec: { ports: times(30_000, (i) => ({ name: `p${i}`, port: i + 1, protocol: 'TCP' })) },
  })),
  of('a service of many node ports', `${core}/services`, 'v1', 'Service', () => ({
    // with a name that stays it is only tried: stored, it would have all ports of the range
    metadata: { name: 'ports' },
    spec: { type: 'NodePort', ports: times(30_000, (i) => ({ name: `p${i}`, port: i + 1 })) },
  })),
  of('a service of many times the same port', `${core}/services`, 'v1', 'Service', () => ({
    spec: { ports: times(40_000, () => ({ name: 'p', port: 80 })) },
  })),
  of('a service of many addresses', `${core}/services`, 'v1', 'Service', () => ({
    spec: {
      type: 'LoadBalancer',
      ports: [{ port: 80 }],
      externalIPs: times(30_000, (i) => `10.0.${i >> 8}.${i & 255}`),
      loadBalancerSourceRanges: times(30_000, (i) => `10.${i >> 8}.${i & 255}.0/24`),
    },
  })),
  of('a service of many selector labels', `${core}/services`, 'v1', 'Service', () => ({
    spec: { ports: [{ port: 80 }], selector: record(60_000, (i) => [`l${i}`, '!']) },
  })),
  of(
    'a slice of many endpoints',
    '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    'discovery.k8s.io/v1',
    'EndpointSlice',
    () => ({
      addressType: 'IPv4',
      endpoints: times(20_000, (i) => ({ addresses: [`10.0.${(i >> 8) & 255}.${i & 255}`], nodeName: `n${i}` })),
      ports: times(20_000, (i) => ({ name: `p${i}`, port: 80 })),
    }),
  ),
  of(
    'an endpoint of many addresses',
    '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    'discovery.k8s.io/v1',
    'EndpointSlice',
    () => ({
      addressType: 'IPv4',
      endpoints: [
        {
          addresses: times(60_000, (i) => `10.0.${(i >> 8) & 255}.${i & 255}`),
          deprecatedTopology: record(30_000, (i) => [`t${i}`, 'v']),
        },
      ],
    }),
  ),
  of('a network policy of many peers', `${network}/networkpolicies`, 'networking.k8s.io/v1', 'NetworkPolicy', () => ({
    spec: {
      podSelector: {},
      ingress: times(100, () => ({
        from: times(200, (i) => ({ ipBlock: { cidr: '10.0.0.0/8', except: [`10.${i}.0.0/16`] } })),
        ports: times(200, (i) => ({ port: i + 1, endPort: i + 2, protocol: 'TCP' })),
      })),
    },
  })),
  of(
    'a network policy of many exceptions',
    `${network}/networkpolicies`,
    'networking.k8s.io/v1',
    'NetworkPolicy',
    () => ({
      spec: {
        podSelector: {},
        egress: [
          { to: [{ ipBlock: { cidr: '10.0.0.0/8', except: times(60_000, (i) => `10.${i >> 8}.${i & 255}.0/24`) } }] },
        ],
      },
    }),
  ),
  of('an ingress of many rules', `${network}/ingresses`, 'networking.k8s.io/v1', 'Ingress', () => ({
    spec: {
      rules: times(15_000, (i) => ({
        host: `h${i}.example.com`,
        http: {
          paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } }],
        },
      })),
      tls: times(10_000, (i) => ({ hosts: [`h${i}.example.com`], secretName: `s${i}` })),
    },
  })),
  of('an ingress of many bad paths', `${network}/ingresses`, 'networking.k8s.io/v1', 'Ingress', () => ({
    spec: { rules: [{ http: { paths: times(40_000, () => ({ path: 'x', pathType: 'Y', backend: {} })) } }] },
  })),
  of(
    'a class of many parameters',
    '/apis/storage.k8s.io/v1/storageclasses',
    'storage.k8s.io/v1',
    'StorageClass',
    () => ({
      provisioner: 'example.com/p',
      parameters: record(60_000, (i) => [`p${i}`, 'v']),
      mountOptions: times(60_000, (i) => `o${i}`),
      allowedTopologies: times(10_000, (i) => ({
        matchLabelExpressions: [{ key: `k${i}`, values: [`v${i}`] }],
      })),
    }),
  ),
  of(
    'topologies that all say the same',
    '/apis/storage.k8s.io/v1/storageclasses',
    'storage.k8s.io/v1',
    'StorageClass',
    () => ({
      provisioner: 'example.com/p',
      allowedTopologies: times(20_000, () => ({ matchLabelExpressions: [{ key: 'k', values: ['v'] }] })),
    }),
  ),
  of('a driver of many audiences', '/apis/storage.k8s.io/v1/csidrivers', 'storage.k8s.io/v1', 'CSIDriver', () => ({
    spec: {
      tokenRequests: times(40_000, (i) => ({ audience: `a${i}` })),
      volumeLifecycleModes: times(40_000, (i) => `M${i}`),
    },
  })),
  of('a node of many drivers', '/apis/storage.k8s.io/v1/csinodes', 'storage.k8s.io/v1', 'CSINode', () => ({
    spec: { drivers: times(20_000, (i) => ({ name: `d${i}`, nodeID: `n${i}`, topologyKeys: [`k${i}`, `k${i}`] })) },
  })),
];

export const ruleShapes: readonly HostileShape[] = [
  of('a role of many rules', `${rbac}/clusterroles`, 'rbac.authorization.k8s.io/v1', 'ClusterRole', () => ({
    rules: times(15_000, (i) => ({
      verbs: ['get'],
      apiGroups: [`g${i}`],
      resources: [`r${i}`],
      resourceNames: [`n${i}`],
    })),
  })),
  of('a role of many bad rules', `${rbac}/clusterroles`, 'rbac.authorization.k8s.io/v1', 'ClusterRole', () => ({
    rules: times(60_000, () => ({})),
  })),
  of('a role of many aggregations', `${rbac}/clusterroles`, 'rbac.authorization.k8s.io/v1', 'ClusterRole', () => ({
    aggregationRule: { clusterRoleSelectors: times(30_000, (i) => ({ matchLabels: { [`l${i}`]: 'v' } })) },
  })),
  of(
    'a binding of many subjects',
    `${rbac}/clusterrolebindings`,
    'rbac.authorization.k8s.io/v1',
    'ClusterRoleBinding',
    () => ({
      subjects: times(20_000, (i) => ({ kind: 'User', name: `u${i}`, apiGroup: 'rbac.authorization.k8s.io' })),
      roleRef: { kind: 'ClusterRole', name: 'view', apiGroup: 'rbac.authorization.k8s.io' },
    }),
  ),
  crd('a pattern of 500 KB', () => ({ type: 'string', pattern: `^(${times(50_000, (i) => `a${i}b*`).join('|')})$` })),
  crd('a pattern of nested repeats', () => ({
    type: 'string',
    pattern: '((a{0,100}){0,10}b{0,1000}){0,1}'.repeat(1000),
  })),
  crd('a pattern of many parentheses', () => ({
    type: 'string',
    pattern: `${'('.repeat(30_000)}a${')'.repeat(30_000)}`,
  })),
  crd('many patterns', () => ({
    type: 'object',
    properties: record(30_000, (i) => [`p${i}`, { type: 'string', pattern: `^[a-z]{1,60}$` }]),
  })),
  crd('many properties', () => ({
    type: 'object',
    properties: record(40_000, (i) => [`p${i}`, { type: 'string', description: 'd' }]),
  })),
  crd('many schemas that are refused', () => ({
    type: 'object',
    definitions: record(18_000, (i) => [`d${i}`, { type: 'string' }]),
  })),
  crd('many required properties', () => ({
    type: 'object',
    properties: record(20_000, (i) => [`p${i}`, { type: 'string' }]),
    required: times(40_000, (i) => `p${i}`),
  })),
  crd('many bad properties', () => ({
    type: 'object',
    properties: record(40_000, (i) => [`p${i}`, { type: 'x', items: { type: 'y' } }]),
  })),
  crd('a depth of 1,000', () => nested(1000)),
  crd('an enum of 200,000', () => ({ type: 'string', enum: times(80_000, (i) => `v${i}`) })),
  crd('an enum of many times the same', () => ({ type: 'string', enum: times(80_000, () => 'v') })),
  crd('many defaults', () => ({
    type: 'object',
    properties: record(20_000, (i) => [`p${i}`, { type: 'string', default: 'd' }]),
  })),
  crd('a default of 2 MB', () => ({
    type: 'array',
    items: { type: 'string' },
    default: times(90_000, (i) => `v${i}`),
  })),
  crd('many rules', () => ({
    type: 'object',
    'x-kubernetes-validations': times(20_000, () => ({ rule: 'self == self', message: 'm' })),
  })),
  crd('a rule of 1 MB', () => ({
    type: 'string',
    'x-kubernetes-validations': [{ rule: times(90_000, () => 'self!=""').join('&&') }],
  })),
  crd('many alternatives', () => ({
    type: 'string',
    anyOf: times(20_000, (i) => ({ minLength: i })),
    allOf: times(20_000, (i) => ({ maxLength: i })),
  })),
  crd(
    'many columns',
    () => ({ type: 'object' }),
    () => ({
      additionalPrinterColumns: times(20_000, (i) => ({ name: `c${i}`, type: 'string', jsonPath: `.spec.a${i}` })),
    }),
  ),
  crd(
    'a column path of 2 MB',
    () => ({ type: 'object' }),
    () => ({ additionalPrinterColumns: [{ name: 'c', type: 'string', jsonPath: '.a[0]'.repeat(400_000) }] }),
  ),
  crd(
    'many selectable fields',
    () => ({ type: 'object', properties: { a: { type: 'string' } } }),
    () => ({ selectableFields: times(20_000, () => ({ jsonPath: '.spec.a' })) }),
  ),
  {
    title: 'a definition of many versions',
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    body: () => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'larges.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: {
          plural: 'larges',
          kind: 'Large',
          shortNames: times(50_000, (i) => `s${i}`),
          categories: times(50_000, (i) => `c${i}`),
        },
        versions: times(15_000, (i) => ({
          name: `v${i}`,
          served: true,
          storage: i === 0,
          schema: { openAPIV3Schema: { type: 'object' } },
        })),
      },
    }),
  },
  policy('an expression of 1 MB', () => ({
    validations: [{ expression: times(90_000, () => 'object.spec.a==1').join('||') }],
  })),
  policy('many expressions', () => ({
    validations: times(20_000, (i) => ({ expression: `object.metadata.name != "a${i}"` })),
  })),
  policy('many bad expressions', () => ({ validations: times(40_000, () => ({ expression: '1+' })) })),
  policy('many variables', () => ({
    variables: times(20_000, (i) => ({ name: `v${i}`, expression: i === 0 ? '1' : `variables.v${i - 1} + 1` })),
  })),
  policy('an expression of many parentheses', () => ({
    validations: [{ expression: `${'('.repeat(90_000)}true${')'.repeat(90_000)}` }],
  })),
  policy('many resource rules', () => ({
    matchConstraints: {
      resourceRules: times(15_000, (i) => ({
        apiGroups: [`g${i}`],
        apiVersions: ['v1'],
        operations: ['CREATE'],
        resources: [`r${i}`, '*/*'],
      })),
    },
  })),
  policy('a rule of many resources', () => ({
    matchConstraints: {
      resourceRules: [
        { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: times(90_000, (i) => `r${i}/*`) },
      ],
    },
  })),
  of(
    'many webhooks',
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    'admissionregistration.k8s.io/v1',
    'ValidatingWebhookConfiguration',
    () => ({
      webhooks: times(8000, (i) => ({
        name: `w${i}.example.com`,
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        clientConfig: { url: 'https://127.0.0.1/x' },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        matchConditions: [{ name: 'c', expression: 'true' }],
      })),
    }),
  ),
  of(
    'a flow schema of many rules',
    '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
    'flowcontrol.apiserver.k8s.io/v1',
    'FlowSchema',
    () => ({
      spec: {
        priorityLevelConfiguration: { name: 'p' },
        rules: times(10_000, (i) => ({
          subjects: [{ kind: 'User', user: { name: `u${i}` } }],
          resourceRules: [{ verbs: ['get', 'get'], apiGroups: [''], resources: [`r${i}`], namespaces: ['*'] }],
        })),
      },
    }),
  ),
  of(
    'a flow rule of many verbs',
    '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
    'flowcontrol.apiserver.k8s.io/v1',
    'FlowSchema',
    () => ({
      spec: {
        priorityLevelConfiguration: { name: 'p' },
        rules: [
          {
            subjects: [{ kind: 'User', user: { name: 'u' } }],
            resourceRules: [
              {
                verbs: times(90_000, (i) => `v${i}`),
                apiGroups: times(50_000, (i) => `g${i}`),
                resources: times(50_000, (i) => `r${i}`),
                namespaces: ['*'],
              },
            ],
          },
        ],
      },
    }),
  ),
  of(
    'a signing request of 1 MB',
    '/apis/certificates.k8s.io/v1/certificatesigningrequests',
    'certificates.k8s.io/v1',
    'CertificateSigningRequest',
    () => ({
      spec: {
        signerName: 'example.com/s',
        usages: times(90_000, (i) => `u${i}`),
        request: Buffer.from(
          `-----BEGIN CERTIFICATE REQUEST-----\n${'MIIB'.repeat(80_000)}\n-----END CERTIFICATE REQUEST-----\n`,
        ).toString('base64'),
      },
    }),
  ),
  of(
    'a trust bundle of 1 MB',
    '/apis/certificates.k8s.io/v1beta1/clustertrustbundles',
    'certificates.k8s.io/v1beta1',
    'ClusterTrustBundle',
    () => ({
      spec: { trustBundle: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'.repeat(15_000) },
    }),
  ),
  of(
    'a device slice of many devices',
    '/apis/resource.k8s.io/v1/resourceslices',
    'resource.k8s.io/v1',
    'ResourceSlice',
    () => ({
      spec: {
        driver: 'd.example.com',
        nodeName: 'n',
        pool: { name: 'p', resourceSliceCount: 1 },
        devices: times(20_000, (i) => ({
          name: `d${i}`,
          attributes: { a: { int: i } },
          capacity: { c: { value: '1' } },
        })),
      },
    }),
  ),
  of(
    'a device claim of many requests',
    '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims',
    'resource.k8s.io/v1',
    'ResourceClaim',
    () => ({
      spec: {
        devices: {
          requests: times(10_000, (i) => ({
            name: `r${i}`,
            exactly: { deviceClassName: 'c', selectors: [{ cel: { expression: 'true' } }] },
          })),
          constraints: times(5000, (i) => ({ requests: [`r${i}`], matchAttribute: 'a/b' })),
          config: times(5000, (i) => ({ requests: [`r${i}`], opaque: { driver: 'd', parameters: {} } })),
        },
      },
    }),
  ),
  of(
    'an access review of many groups',
    '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    'authorization.k8s.io/v1',
    'SubjectAccessReview',
    () => ({
      spec: {
        user: 'u',
        groups: times(90_000, (i) => `g${i}`),
        extra: record(20_000, (i) => [`e${i}`, ['v']]),
        resourceAttributes: {
          verb: 'get',
          resource: 'pods',
          labelSelector: { requirements: times(20_000, (i) => ({ key: `k${i}`, operator: 'Exists' })) },
        },
      },
    }),
  ),
];

const list = `${core}/configmaps`;
export const queryShapes: readonly HostileShape[] = [
  {
    title: 'a query of 50 KB of labels',
    path: `${list}?labelSelector=${times(6000, (i) => `k${i}`).join(',')}`,
  },
  {
    title: 'a query of 50 KB of fields',
    path: `${list}?fieldSelector=${times(3000, () => 'metadata.name!=a').join(',')}`,
  },
];

/** As many values as a body may have, all but a few. */
const mostValues = 60_000;

/** The body of a shape, in the largest size that a server reads. */
export function bodyOf({ body }: HostileShape): string | undefined {
  if (body === undefined) return undefined;
  scale = 1;
  const text = JSON.stringify(body());
  const values = text.replace(/"(?:[^"\\]|\\.)*"/g, '').match(/[,{[]/g)?.length ?? 0;
  if (values <= mostValues) return text;
  scale = mostValues / values;
  return JSON.stringify(body());
}
