// Every line of the benchmark, in the order of a run, with the target it has to reach (one of them, where there are two).

/** `ratio`: at least this share of the bare server, in the same run. `atLeast`, `atMost`: in the line's own unit. */
export const lines = [
  { name: 'ready', title: 'ready after start', unit: 'ms', target: { atMost: 400 } },
  { name: 'memory', title: 'resident memory, idle', unit: 'MiB', target: { atMost: 90 } },
  { name: 'get', title: 'get a 1 KiB ConfigMap', unit: 'req/s', target: { ratio: 0.55 } },
  { name: 'list', title: 'list page, 500 x 10 KiB', unit: 'pages/s', target: { ratio: 0.6 } },
  { name: 'patch', title: 'merge patch, 1 KiB ConfigMap', unit: 'req/s', target: { ratio: 0.45 } },
  { name: 'apply', title: 'apply, 1 KiB ConfigMap', unit: 'req/s', target: { ratio: 0.35 } },
  // printed, and held to nothing: no target was given
  { name: 'apply-ports', title: 'apply, Deployment of 200 ports', unit: 'req/s', target: { ratio: 0 } },
  { name: 'watch', title: 'fan-out to 200 watches', unit: 'events/s', target: { ratio: 0.5, atLeast: 120_000 } },
  // last on the shared server: it leaves tens of thousands of objects behind
  { name: 'create', title: 'durable create, 1 KiB ConfigMap', unit: 'req/s', target: { ratio: 0.45 } },
  { name: 'watch-memory', title: 'memory of an idle watch', unit: 'KiB', target: { atMost: 10 } },
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
