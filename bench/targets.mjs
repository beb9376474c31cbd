// Every line of the benchmark, in the order of a run, with the target it has to reach (one of them, where there are two).

const formRequests = {
  list: ['list of 2,000 pods', 'lists/s'],
  page: ['page of 500 of 2,000 pods', 'pages/s'],
  get: ['get a pod', 'req/s'],
  create: ['durable create of a pod', 'req/s'],
  watch: ['fan-out to 200 watches', 'events/s'],
};

/** Each request in each form; printed, and held to nothing. */
export const formLines = ['protobuf', 'table', 'metadata', 'metadata-protobuf'].flatMap((form) =>
  Object.entries(formRequests).map(([request, [title, unit]]) => {
    return { name: `${request}-${form}`, title: `${title}, ${form}`, unit, target: {} };
  }),
);

/** Request and form of such a line. */
export function formNames(line) {
  const at = line.indexOf('-');
  return [line.slice(0, at), line.slice(at + 1)];
}

/** `ratio`: at least this share of the bare server, in the same run. `atLeast`, `atMost`: in the line's own unit. */
export const lines = [
  { name: 'ready', title: 'ready after start', unit: 'ms', target: { atMost: 400 } },
  { name: 'memory', title: 'resident memory, idle', unit: 'MiB', target: { atMost: 90 } },
  { name: 'get', title: 'get a 1 KiB ConfigMap', unit: 'req/s', target: { ratio: 0.55 } },
  { name: 'list', title: 'list page, 500 x 10 KiB', unit: 'pages/s', target: { ratio: 0.6 } },
  { name: 'list-all', title: 'whole list, 10,000 x 4 KiB', unit: 'lists/s', target: { ratio: 0.7 } },
  { name: 'page', title: 'list page, 500 of 10,000 x 4 KiB', unit: 'pages/s', target: { ratio: 0.6 } },
  { name: 'select', title: 'selector that matches none of 10,000', unit: 'req/s', target: { atLeast: 500 } },
  { name: 'list-of-node', title: 'pods of a node without any, of 2,000', unit: 'req/s', target: {} },
  ...formLines,
  { name: 'merge-patch', title: 'merge patch, 1 KiB ConfigMap', unit: 'req/s', target: { ratio: 0.45 } },
  { name: 'apply', title: 'apply, 1 KiB ConfigMap', unit: 'req/s', target: { ratio: 0.35 } },
  // printed, and held to nothing
  { name: 'apply-ports', title: 'apply, Deployment of 200 ports', unit: 'req/s', target: {} },
  { name: 'watch', title: 'fan-out to 200 watches', unit: 'events/s', target: { ratio: 0.5, atLeast: 120_000 } },
  { name: 'watched-create', title: 'create while 200 watches look on', unit: 'req/s', target: { ratio: 0.3 } },
  // last on the shared server: it leaves tens of thousands of objects behind
  { name: 'create', title: 'durable create, 1 KiB ConfigMap', unit: 'req/s', target: { ratio: 0.45 } },
  { name: 'create-pod', title: 'durable create, 1.5 KB Pod', unit: 'req/s', target: {} },
  { name: 'custom-create', title: 'create, 1 KiB custom resource', unit: 'req/s', target: { ratio: 0.3 } },
  { name: 'custom-rules', title: 'the same with ten rules in CEL', unit: 'req/s', target: {} },
  { name: 'watch-memory', title: 'memory of an idle watch', unit: 'KiB', target: { atMost: 10 } },
  { name: 'beside', title: 'get while 100 MB lists stream, p99', unit: 'ms', target: { atMost: 50 } },
  { name: 'hostile', title: 'longest wait beside hostile bodies', unit: 'ms', target: { atMost: 20 } },
  { name: 'noisy', title: 'p99 added by 50 lists of another', unit: 'ms', target: { atMost: 10 } },
  { name: 'full-memory', title: 'resident memory, 15,000 x 4 KiB', unit: 'MiB', target: { atMost: 260 } },
  { name: 'threads-memory', title: 'the same with four threads', unit: 'x one', target: { atMost: 1.6 } },
  { name: 'full-start', title: 'start with 15,000 x 4 KiB', unit: 'x empty', target: { atMost: 1.5 } },
  { name: 'restart-ready', title: 'ready after a start on 100,000 pods', unit: 's', target: { atMost: 3 } },
  { name: 'restart-list', title: 'whole list right after that', unit: 's', target: { atMost: 6 } },
  { name: 'restart-memory', title: 'own memory after that list', unit: 'MiB', target: { atMost: 717 } },
  { name: 'authorize', title: 'decision among 10,000 bindings', unit: 'µs', target: { atMost: 20 } },
  { name: 'rbac-get', title: 'get by roles, against AlwaysAllow', unit: 'req/s', target: { ratio: 0.95 } },
  { name: 'rbac-create', title: 'create by roles, against AlwaysAllow', unit: 'req/s', target: { ratio: 0.95 } },
  { name: 'test-servers', title: '40 test servers in parallel, processor', unit: 'ms', target: {} },
  { name: 'test-servers-memory', title: 'memory of one of 40 test servers', unit: 'MiB', target: { atMost: 6 } },
  { name: 'crd-served', title: 'new definition served after', unit: 'ms', target: { atMost: 50 } },
  { name: 'crd-memory', title: 'memory of one of 1,000 definitions', unit: 'MiB', target: { atMost: 0.5 } },
  { name: 'crd-start', title: 'start with 1,000 definitions', unit: 'x empty', target: { atMost: 3 } },
  { name: 'plugins', title: 'create a Pod, default plugins', unit: 'req/s', target: { ratio: 0.6 } },
  { name: 'webhook', title: 'create with a validating webhook', unit: 'req/s', target: { ratio: 0.5 } },
  { name: 'policies-10', title: 'create with 10 policies', unit: 'req/s', target: { ratio: 0.8 } },
  { name: 'policies-100', title: 'create with 100 policies', unit: 'req/s', target: { ratio: 0.3 } },
  { name: 'aggregated-get', title: 'get through an aggregated server', unit: 'req/s', target: { ratio: 0.5 } },
  { name: 'threads-get', title: 'get, two threads against one', unit: 'req/s', target: { ratio: 1.6 } },
  { name: 'threads-create-pod', title: 'create a Pod, two threads against one', unit: 'req/s', target: { ratio: 1.6 } },
  { name: 'threads-watch', title: 'fan-out, two threads against one', unit: 'events/s', target: { ratio: 1.6 } },
  { name: 'simulate-1000', title: '1,000 simulated pods ready after', unit: 'ms', target: { atMost: 2000 } },
  { name: 'growth', title: 'create with many objects stored', unit: 'req/s', target: { ratio: 0.8 } },
];

/** Does a line's outcome, { value, ratio }, reach its target? */
export function meets({ target }, { value, ratio }) {
  return value <= target.atMost || value >= target.atLeast || ratio >= target.ratio;
}

export function describeTarget({ target }) {
  const { atMost, atLeast, ratio } = target;
  const texts = [
    atMost !== undefined && `<= ${atMost}`,
    ratio !== undefined && `>= ${ratio}`,
    atLeast !== undefined && `>= ${atLeast}/s`,
  ];
  return texts.filter(Boolean).join(' or ');
}
