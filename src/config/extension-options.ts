// Options of an extension API server: which kinds it has, and the cluster behind whose API server it stands.

import type { Client } from '../client/client.ts';
import { decodeObject } from '../codec/decode-object.ts';
import type { CustomResourceDefinition } from '../groups/apiextensions/v1/custom-resource-definition-type.ts';
import { builtInGroups } from '../groups/catalog.ts';
import { apiGroup, type Dialect } from '../meta/dialect.ts';
import type { FieldError } from '../meta/status.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import type { StrategyContext } from '../schema/strategy.ts';
import { OptionError } from './option-error.ts';
import { resolveOptions, type ServerConfig } from './options.ts';
import type { ServerOptions } from './server-options.ts';
import type { admissionOptions } from './tables/admission.ts';
import type { authenticationOptions } from './tables/authentication.ts';
import type { authorizationOptions } from './tables/authorization.ts';

/** What the cluster decides, and what has no meaning behind another API server. */
type Delegated =
  | keyof typeof authenticationOptions
  | keyof typeof authorizationOptions
  | keyof typeof admissionOptions
  | 'controllers'
  | 'runtimeConfig'
  | 'advertiseAddress'
  | 'endpointReconcilerType'
  | 'apiserverCount'
  | 'serviceClusterIpRange'
  | 'serviceNodePortRange';

/** The options for address, storage and log are those of any server. */
export interface ExtensionServerOptions extends Omit<ServerOptions, Delegated> {
  /** The kinds that are served: CustomResourceDefinitions, written as for a cluster. */
  readonly definitions: readonly object[];
  /**
   * A client of the cluster, such as `connect(await loadKubeconfig()).client`. Its user has to be allowed to read the ConfigMap
   * `extension-apiserver-authentication` and to create TokenReviews and SubjectAccessReviews.
   */
  readonly cluster: Client;
  /** The Service by which the cluster reaches this server. */
  readonly service: ExtensionService;
}

export interface ExtensionService {
  readonly namespace: string;
  readonly name: string;
  /** 443 when not given. */
  readonly port?: number;
}

export interface ExtensionConfig {
  readonly definitions: readonly CustomResourceDefinition[];
  readonly service: Required<ExtensionService>;
}

/** How long tokens and rights are cached, as in other extension servers. */
export const delegationMs = 10_000;

/** Tokens are for the cluster, which decides whether they are for it. */
const clusterAudience = 'cluster';

export async function resolveExtension(options: ExtensionServerOptions): Promise<ServerConfig> {
  const { definitions, cluster: _, service, ...others } = options;
  const config = resolveOptions({ ...others, controllers: [] });
  if (definitions.length === 0) throw new OptionError('definitions: an extension server needs at least one');
  return {
    ...config,
    authentication: {
      ...config.authentication,
      issuers: [],
      audiences: [clusterAudience],
      frontProxy: { kind: 'none' },
      requestHeader: undefined,
      tokenWebhook: { file: '', version: 'v1', cacheMs: delegationMs },
    },
    admission: { ...config.admission, plugins: new Set() },
    extension: {
      definitions: await Promise.all(
        definitions.map((one, index) => readDefinition(one, `definitions[${index}]`, config)),
      ),
      service: { port: 443, ...service },
    },
  };
}

/** Decoded, with defaults, and held to the rules of the kind; names are accepted as they are: no other server has a say. */
async function readDefinition(given: object, at: string, config: ServerConfig): Promise<CustomResourceDefinition> {
  const context: StrategyContext = { dialect: config.dialect, clock: config.clock };
  const kind = definitionKind(config.dialect);
  const fail = (why: string) => new OptionError(`${at}: ${why}`);
  const object = decoded(kind, given, context, fail);
  const [wrong] = await problemsOf(kind, object, context);
  if (wrong !== undefined) throw fail(`${wrong.field}: ${wrong.message}`);
  return { ...object, status: { conditions: [{ type: 'NamesAccepted', status: 'True' }] } } as CustomResourceDefinition;
}

function decoded(kind: ResourceDefinition, given: object, context: StrategyContext, fail: (why: string) => Error) {
  try {
    const { object, unknownFields } = decodeObject(kind, given);
    if (unknownFields.length > 0) throw new Error(`unknown field ${JSON.stringify(unknownFields[0])}`);
    const complete = kind.strategy?.defaults?.(object, context) ?? object;
    return (kind.strategy?.prepareForCreate?.(complete, context) ?? complete) as CustomResourceDefinition;
  } catch (error) {
    throw fail((error as Error).message);
  }
}

async function problemsOf(
  { strategy }: ResourceDefinition,
  object: CustomResourceDefinition,
  context: StrategyContext,
): Promise<readonly FieldError[]> {
  const nameErrors = [
    ...(strategy?.validateName?.(object, context) ?? []),
    ...(strategy?.validate?.(object, context) ?? []),
    ...(strategy?.validateCreate?.(object, context) ?? []),
  ];
  return nameErrors.length > 0
    ? nameErrors
    : ((await strategy?.validateExpressions?.(object, undefined, context)) ?? []);
}

function definitionKind(dialect: Dialect): ResourceDefinition {
  const group = apiGroup(dialect, 'apiextensions');
  const extensionsGroup = builtInGroups(dialect).find((gv) => gv.group === group && gv.version === 'v1');
  return extensionsGroup?.resources.find(({ plural }) => plural === 'customresourcedefinitions') as ResourceDefinition;
}
