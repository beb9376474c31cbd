// The health checks as numbers, and what this server is: /metrics/slis and the build.

import type { HealthEndpoints } from '../discovery/health.ts';
import { versionInfo } from '../discovery/version.ts';
import { type DialectNames, inOwnWords } from '../meta/dialect.ts';
import { type EffectiveVersions, formatRelease } from '../meta/effective-versions.ts';
import { release } from '../meta/release.ts';
import { type MetricSource, metric } from './metric-source.ts';

type Counted = { success: number; error: number };

/** The text of /metrics/slis: every scrape runs every check. */
export function healthMetrics(endpoints: HealthEndpoints, { vendor }: DialectNames): () => Promise<string> {
  const totals = new Map<string, Counted>();
  return async () => {
    const gauges: string[] = [];
    for (const [type, checks] of Object.entries(endpoints) as [string, HealthEndpoints['healthz']][]) {
      for (const { name, check } of checks) {
        const isGood = (await check()) === undefined;
        const labels = `name="${name}",type="${type}"`;
        gauges.push(`${vendor}_healthcheck{${labels}} ${isGood ? 1 : 0}`);
        const counted = totals.get(labels) ?? { success: 0, error: 0 };
        counted[isGood ? 'success' : 'error']++;
        totals.set(labels, counted);
      }
    }
    return [
      `# HELP ${vendor}_healthcheck Whether a check of the health endpoints passes.`,
      `# TYPE ${vendor}_healthcheck gauge`,
      ...gauges,
      `# HELP ${vendor}_healthchecks_total Checks of the health endpoints, by their outcome.`,
      `# TYPE ${vendor}_healthchecks_total counter`,
      ...[...totals].flatMap(([labels, counted]) => totalLines(`${vendor}_healthchecks_total`, labels, counted)),
      '',
    ].join('\n');
  };
}

function totalLines(name: string, labels: string, counted: Counted): readonly string[] {
  const outcomes = Object.entries(counted).filter(([, count]) => count > 0);
  return outcomes.map(([status, count]) => `${name}{${labels},status="${status}"} ${count}`);
}

/** What the server is, as labels of a one. */
export function buildInfo(versions: EffectiveVersions): MetricSource {
  const { major, minor, gitVersion, gitCommit, gitTreeState, buildDate, goVersion, compiler, platform } =
    versionInfo(versions);
  const labels = {
    build_date: buildDate,
    compiler,
    git_commit: gitCommit,
    git_tree_state: gitTreeState,
    git_version: gitVersion,
    go_version: goVersion,
    major,
    minor,
    platform,
  };
  return metric('kubernetes_build_info', () => [{ labels, value: 1 }]);
}

/** The releases that the server behaves like, as labels of a one. */
export function compatibilityInfo(dialect: DialectNames, versions: EffectiveVersions): MetricSource {
  const { emulation, minCompatibility } = versions;
  const binary = `${formatRelease(release)}.${release.patch}`;
  const min_compat = formatRelease(minCompatibility);
  const labels = { binary, component: inOwnWords(dialect, 'kube'), emulation: formatRelease(emulation), min_compat };
  return metric('version_info', () => [{ labels, value: 1 }]);
}
