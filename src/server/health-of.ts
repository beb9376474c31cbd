// The health checks of a server, by its configuration.

import { HealthState } from './health-state.ts';
import type { LoggedConfig } from './server-log.ts';
import type { Opened } from './start/opening.ts';
import { followingHook, startHooks, trustHook } from './start/start-hooks.ts';

export function healthOf(config: LoggedConfig, opened: Opened, hasThreads: boolean): HealthState {
  const { encryption, link } = opened;
  const following = encryption?.follows ? [followingHook] : [];
  const checks = [
    ...following,
    ...(link === undefined ? startHooks(config.dialect).map(([check]) => check) : [trustHook]),
  ];
  const health = new HealthState(opened.store, checks, {
    ...config.storeChecks,
    clock: config.clock,
    graceMs: config.livezGraceMs,
    hasThreads,
    ...(encryption?.hasCheck ? { keyProviders: () => encryption.check() } : {}),
  });
  for (const hook of following) health.hookDone(hook);
  return health;
}
