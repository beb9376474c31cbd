// Findings as a table for people, and as JSON, SARIF and JUnit for other programs.

import { packageVersion } from '../../base/package-version.ts';
import { columns } from '../columns.ts';
import type { ManifestObject } from '../manifests/read-manifests.ts';
import type { CheckResult } from './check-manifests.ts';
import { type Finding, type Level, rules, titleOf } from './finding.ts';

export const reports = { text: textReport, json: jsonReport, sarif: sarifReport, junit: junitReport } as const;

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

export const countOf = (findings: readonly Finding[], level: Level) =>
  findings.filter((finding) => finding.level === level).length;

function textReport({ findings, objects }: CheckResult): string {
  const rows = findings.map(({ file, line, column, level, rule, object, field, message }) => [
    `${file}:${line}:${column}`,
    level,
    rule,
    object,
    field === '' || message.includes(field) ? oneLine(message) : `${field}: ${oneLine(message)}`,
  ]);
  const counts = (['error', 'warning', 'note'] as const)
    .map((level) => ({ level, count: countOf(findings, level) }))
    .filter(({ level, count }) => count > 0 || level === 'error')
    .map(({ level, count }) => counted(count, level));
  return `${rows.length === 0 ? '' : columns(rows)}${counted(objects.length, 'object')}: ${counts.join(', ')}\n`;
}

/** Control characters of a manifest do not reach the terminal. */
const oneLine = (text: string) =>
  text
    .trim()
    .replace(/\s*\n\s*/g, ' ')
    .replace(/\p{Cc}/gu, '?');

function jsonReport({ findings, objects }: CheckResult): string {
  return `${JSON.stringify({ objects: objects.length, findings }, undefined, 2)}\n`;
}

function sarifReport({ findings }: CheckResult): string {
  const used = [...new Set(findings.map(({ rule }) => rule))].sort();
  const driver = {
    name: 'keelson',
    version: packageVersion(),
    rules: used.map((id) => ({ id, shortDescription: { text: rules[id] } })),
  };
  const results = findings.map((finding) => ({
    ruleId: finding.rule,
    level: finding.level,
    message: { text: sarifMessage(finding) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(finding.file) },
          region: { startLine: finding.line, startColumn: finding.column },
        },
      },
    ],
  }));
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, results }],
  };
  return `${JSON.stringify(log, undefined, 2)}\n`;
}

const sarifMessage = ({ object, field, message }: Finding) =>
  [object, field === '' || message.includes(field) ? '' : field, message].filter((part) => part !== '').join(': ');

/** Relative paths stay relative, as code scanning expects them. */
const uriOf = (file: string) => file.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/');

/** A test case for each object, in a suite for each file. */
function junitReport({ findings, objects }: CheckResult): string {
  const files = [...new Set([...objects, ...findings].map(({ file }) => file))];
  const suites = files.map((file) => {
    const own = findings.filter((finding) => finding.file === file);
    const cases = objects.filter((object) => object.file === file).map((object) => caseOf(object, own));
    const others = own.filter(({ object, level }) => level === 'error' && !isOfObject(objects, file, object));
    const all = [...cases, ...others.map((finding) => caseText(`${file}:${finding.line}`, file, [finding]))];
    const failures = all.filter((text) => text.includes('<failure')).length;
    return `  <testsuite name="${xml(file)}" tests="${all.length}" failures="${failures}">\n${all.join('')}  </testsuite>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="keelson validate">\n${suites.join('')}</testsuites>\n`;
}

const isOfObject = (objects: readonly ManifestObject[], file: string, title: string) =>
  objects.some((object) => object.file === file && titleOf(object) === title);

function caseOf(object: ManifestObject, findings: readonly Finding[]): string {
  const title = titleOf(object);
  return caseText(
    title,
    object.file,
    findings.filter((finding) => finding.object === title),
  );
}

function caseText(name: string, file: string, findings: readonly Finding[]): string {
  const errors = findings.filter(({ level }) => level === 'error');
  const others = findings.filter(({ level }) => level !== 'error');
  const head = `    <testcase name="${xml(name)}" classname="${xml(file)}"`;
  if (findings.length === 0) return `${head}/>\n`;
  const failures = errors.map(
    (finding) =>
      `      <failure type="${finding.rule}" message="${xml(finding.message)}">${xml(placeOf(finding))}</failure>\n`,
  );
  const output = others.map((finding) => `${finding.level}: ${placeOf(finding)}: ${finding.message}`).join('\n');
  const systemOut = output === '' ? '' : `      <system-out>${xml(output)}</system-out>\n`;
  return `${head}>\n${failures.join('')}${systemOut}    </testcase>\n`;
}

const placeOf = ({ file, line, column, field }: Finding) =>
  `${file}:${line}:${column}${field === '' ? '' : ` ${field}`}`;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
};

/** XML cannot have control characters at all. */
const xml = (text: string) =>
  text
    .replace(/[\p{Cc}\ufffe\uffff]/gu, (char) => (char === '\n' || char === '\t' ? char : '?'))
    .replace(/[&<>"\n]/g, (char) => entities[char] as string);
