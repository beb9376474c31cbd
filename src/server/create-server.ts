// Makes servers: of a cluster, or of kinds of your own behind the API server of one.

import { channel } from 'node:diagnostics_channel';
import { type ExtensionServerOptions, resolveExtension } from '../config/extension-options.ts';
import { resolveOptions, type ServerConfig, type ServerOptions } from '../config/options.ts';
import { withRulesOfFile } from '../config/simulation-options.ts';
import { ClusterLink } from './cluster-link.ts';
import { type ExtensionServer, KeelsonServer, type Server } from './server.ts';
import { type LoggedConfig, ServerLog } from './server-log.ts';
import { open } from './start/opening.ts';
import type { ServerHooks, ServerParts } from './start/server-hooks.ts';
import type { ServingRole } from './threads/serving-role.ts';

/** Heard by the loader of the bundle, which keeps the code that a start has compiled. */
const started = channel('keelson.started');

/** Opens the store and gets everything ready to answer; `listen` then opens a port. */
export function createServer(options: ServerOptions = {}): Promise<Server> {
  return createHookedServer(options, {});
}

/** A server that lets a test take part. */
export async function createHookedServer(options: ServerOptions, hooks: ServerHooks): Promise<Server & ServerParts> {
  const config = logged(await withRulesOfFile(resolveOptions(options), options));
  for (const warning of config.gateWarnings) config.log.warn({}, warning);
  const opened = await open(config);
  const server = new KeelsonServer(config, { ...opened, store: hooks.store?.(opened.store) ?? opened.store }, hooks);
  try {
    await server.prepare();
  } catch (error) {
    await server.close();
    throw error;
  }
  started.publish(undefined);
  return server;
}

/**
 * A server of your own kinds, which the API server of a cluster passes requests on to. The cluster decides who callers are
 * and what they may do; until it has named the CAs to trust, the server is not ready.
 */
export async function createExtensionServer(options: ExtensionServerOptions): Promise<ExtensionServer> {
  const config = logged(await resolveExtension(options));
  const opened = await open(config, { link: new ClusterLink(config, options.cluster) });
  const server = new KeelsonServer(config, opened);
  try {
    await server.prepareExtension();
  } catch (error) {
    await server.close();
    throw error;
  }
  return server;
}

/** A server that is one thread of several, ready to listen. */
export async function createServingThread(options: ServerOptions, serving: ServingRole): Promise<KeelsonServer> {
  const config = logged(await withRulesOfFile(resolveOptions(options), options));
  const server = new KeelsonServer(config, await open(config, { audit: serving.audit }), { serving });
  try {
    await server.prepareServing();
  } catch (error) {
    await server.close();
    throw error;
  }
  return server;
}

const logged = (config: ServerConfig): LoggedConfig => ({
  ...config,
  log: new ServerLog(config.log, config.levels, config.clock),
});
