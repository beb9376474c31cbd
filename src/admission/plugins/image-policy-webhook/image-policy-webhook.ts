// ImagePolicyWebhook: another server decides which images may run.

import { createHash } from 'node:crypto';
import { ExpiringCache } from '../../../base/maps/expiring-cache.ts';
import { retry } from '../../../base/time/retry.ts';
import { pemSource, standingCredentials } from '../../../client/credentials.ts';
import { apiGroup } from '../../../meta/dialect.ts';
import { checkQualifiedName } from '../../../meta/names.ts';
import { type ApiObject, withMeta } from '../../../meta/object.ts';
import { WebhookCallError } from '../../../webhooks/webhook-failure.ts';
import type { WebhookTarget } from '../../../webhooks/webhook-target.ts';
import type { AdmissionEngines } from '../../engines.ts';
import { type AdmissionPlugin, type AdmissionRequest, objectsOf, refusal, writes } from '../../plugin.ts';
import type { ImagePolicySettings } from './image-policy-settings.ts';
import { type ImageVerdict, imageReview, imageReviewSpec, verdictIn, verdictKind } from './image-review.ts';

type Engines = Pick<AdmissionEngines, 'dialect' | 'clock' | 'webhooks'> & {
  readonly settings: Pick<AdmissionEngines['settings'], 'imagePolicy'>;
};

const name = 'ImagePolicyWebhook';
const mostVerdicts = 1024;
/** For one attempt; the time of the request may end before. */
const attemptMs = 30_000;

export function imagePolicyWebhook(engines: Engines): AdmissionPlugin {
  const { dialect, clock, settings } = engines;
  if (settings.imagePolicy === undefined) throw new Error(`${name} is not set up`);
  const policy = settings.imagePolicy;
  const domain = apiGroup(dialect, 'image-policy');
  const prefix = `${name.toLowerCase()}.${domain}/`;
  const verdicts = new ExpiringCache<ImageVerdict>(clock, mostVerdicts);
  const ask = backendCaller(engines, policy);
  return {
    name,
    operations: writes,
    covers: objectsOf('', 'pods', 'ephemeralcontainers'),
    async validate(request) {
      const spec = imageReviewSpec(request, `.${domain}/`);
      // annotations may be long, and verdicts are many
      const key = createHash('sha256').update(JSON.stringify(spec)).digest('base64');
      const known = verdicts.get(key);
      const verdict = known ?? (await orFailOpen(request, () => ask(imageReview(dialect, spec), request)));
      if (verdict === undefined) return marked(request.object, `alpha.${domain}/failed-open`);
      if (known === undefined) verdicts.set(key, verdict, verdict.allowed ? policy.allowMs : policy.denyMs);
      passOn(request, verdict, prefix);
      return undefined;
    },
  };

  /** Undefined where there is no answer and the request goes on all the same. */
  async function orFailOpen(request: AdmissionRequest, answer: () => Promise<ImageVerdict>) {
    try {
      return await answer();
    } catch (error) {
      const failedOpen = policy.defaultAllow && !request.signal.aborted;
      const why = error instanceof WebhookCallError ? error.forLog : 'its answer is not valid';
      engines.webhooks.notice({ plugin: name, why, failedOpen }, 'the image policy backend gave no answer');
      if (!failedOpen) throw refusal(request, (error as Error).message);
      request.annotate(`${prefix}failed-open`, 'true');
      return undefined;
    }
  }
}

/** Plugins that come later see by an annotation that no backend was asked. */
const marked = (object: ApiObject | undefined, key: string): ApiObject | undefined =>
  object && withMeta(object, { annotations: { ...object.metadata.annotations, [key]: 'true' } });

/** Notes what the backend wants to be noted; throws where its answer is no. */
function passOn(request: AdmissionRequest, { allowed, reason, auditAnnotations }: ImageVerdict, prefix: string): void {
  for (const [key, value] of auditAnnotations)
    if (checkQualifiedName(`${prefix}${key}`).length === 0) request.annotate(`${prefix}${key}`, value);
  if (allowed) return;
  if (reason === '') throw refusal(request, 'one or more images rejected by webhook backend');
  throw refusal(request, `image policy webhook backend denied one or more images: ${reason}`);
}

type Ask = (review: object, request: AdmissionRequest) => Promise<ImageVerdict>;

/** Asks again, with pauses that grow, while that may help. */
function backendCaller({ dialect, clock, webhooks }: Engines, { backend, firstPauseMs }: ImagePolicySettings): Ask {
  const { url, cluster, user } = backend;
  const authority = pemSource(cluster.certificateAuthorityData, cluster.certificateAuthority, clock);
  const answer = verdictKind(dialect);
  const credentials = { source: standingCredentials(user, clock), headers: {} };
  const target = (): WebhookTarget => ({
    url: url.href,
    ...(authority === undefined ? {} : { caBundle: Buffer.from(authority()).toString('base64') }),
  });
  return async (review, { signal, deadline }) => {
    const attempt = () => {
      const timeoutMs = Math.max(0, Math.min(attemptMs, deadline - clock.now()));
      return webhooks.caller.post(target(), review, { answer, timeoutMs, signal, credentialsFor: () => credentials });
    };
    return verdictIn(await retry(attempt, { clock, firstPauseMs, signal, mayPass }));
  };
}

const passingCodes: readonly number[] = [429, 500, 504];
const brokenConnection: readonly (string | undefined)[] = ['ECONNRESET', 'EPIPE'];

/** Errors of the backend that may be over soon, and connections that broke. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof WebhookCallError)) return false;
  const code = (error.cause as NodeJS.ErrnoException | undefined)?.code;
  return error.suggestsRetry || passingCodes.includes(error.code) || brokenConnection.includes(code);
}
