// The text format of Prometheus, with numbers as Go writes them: clients compare bounds of buckets as text.

import type { MetricSnapshot } from './metric-snapshot.ts';

type LabelValue = string | number;

export function metricText(metrics: readonly MetricSnapshot[]): string {
  const lines: string[] = [];
  for (const { name, help, type, values } of metrics) {
    lines.push(`# HELP ${name} ${escapedHelp(help)}`, `# TYPE ${name} ${type}`);
    for (const { metricName = name, labels, value } of values)
      lines.push(`${metricName}${labelText(labels)} ${goNumber(value)}`);
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

function labelText(labels: Readonly<Record<string, LabelValue>>): string {
  let text = '';
  for (const name in labels) {
    const value = labels[name] as LabelValue;
    text += `${text === '' ? '' : ','}${name}="${typeof value === 'number' ? goNumber(value) : escaped(value)}"`;
  }
  return text === '' ? '' : `{${text}}`;
}

const escaped = (value: string): string =>
  /[\\\n"]/.test(value) ? value.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/"/g, '\\"') : value;

const escapedHelp = (help: string): string => help.replace(/\\/g, '\\\\').replace(/\n/g, '\\n');

/** The shortest text of a number, with an exponent of at least two digits below 1e-4 and from 1e6 on. */
export function goNumber(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-4 && size < 1e6)) return Object.is(value, -0) ? '-0' : String(value);
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`;
}
