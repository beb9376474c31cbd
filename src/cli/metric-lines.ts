// Lines of /metrics, as the commands that ask a server read them.

interface MetricLine {
  readonly name: string;
  /** The value of a label; empty where there is no such label. */
  label(name: string): string;
  readonly value: number;
}

/** Undefined for comments and for lines that are not understood. */
export function metricLine(line: string): MetricLine | undefined {
  const [, name, labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === undefined) return undefined;
  const label = (key: string) => new RegExp(`(?:^|,)${key}="([^"]*)"`).exec(labels)?.[1] ?? '';
  return { name, label, value: Number(value.replace('Inf', 'Infinity')) };
}
