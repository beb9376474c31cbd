// A server of admission webhooks for tests, and configurations that lead to it.

import type { ServerResponse } from 'node:http';
import { expect } from 'vitest';
import { type PeerRequest, TlsPeer } from '../../src/testing/tls-peer.ts';
import type { Api } from './api.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into reviews of every shape
export type Review = any;
/** The response to a review, or undefined where it wrote an answer itself. */
export type HookAnswer = (review: Review, response: ServerResponse, asked: PeerRequest) => unknown;

export const allow = { allowed: true };
export const patchOf = (...operations: object[]) => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});
export const label = (name: string, value: string) => patchOf({ op: 'add', path: `/metadata/labels/${name}`, value });

const registration = '/apis/admissionregistration.k8s.io/v1';
export const configurations = {
  mutating: `${registration}/mutatingwebhookconfigurations`,
  validating: `${registration}/validatingwebhookconfigurations`,
} as const;

export class AdmissionHooks implements AsyncDisposable {
  readonly peer: TlsPeer;
  readonly #answers: Map<string, HookAnswer>;
  readonly #reviews: { readonly path: string; readonly review: Review; readonly query: string }[];

  private constructor(peer: TlsPeer, answers: Map<string, HookAnswer>, reviews: AdmissionHooks['reviews']) {
    this.peer = peer;
    this.#answers = answers;
    this.#reviews = reviews as { path: string; review: Review; query: string }[];
  }

  static async open(): Promise<AdmissionHooks> {
    const answers = new Map<string, HookAnswer>();
    const reviews: { path: string; review: Review; query: string }[] = [];
    const peer = await TlsPeer.open(async (asked, response) => {
      const [path = '', query = ''] = asked.path.split('?');
      const review = JSON.parse(asked.body);
      reviews.push({ path, review, query });
      const answer = await answers.get(path)?.(review, response, asked);
      if (answer === undefined) return undefined;
      const { apiVersion, kind, request } = review;
      return { apiVersion, kind, response: { uid: request.uid, ...(answer as object) } };
    });
    return new AdmissionHooks(peer, answers, reviews);
  }

  get reviews(): readonly { readonly path: string; readonly review: Review; readonly query: string }[] {
    return this.#reviews;
  }

  /** What a webhook was asked. */
  asked(path: string): readonly Review[] {
    return this.#reviews.filter((one) => one.path === path).map(({ review }) => review.request);
  }

  /** A webhook for writes of config maps in one namespace, unless `more` says otherwise. */
  hook(path: string, answer: HookAnswer, more: object = {}): object {
    this.#answers.set(path, answer);
    const home = path.split('/')[1] ?? '';
    return {
      name: `${path.slice(1).replaceAll('/', '-')}.hooks.example.com`,
      clientConfig: {
        url: `${this.peer.url}${path}`,
        caBundle: Buffer.from(this.peer.authority.certificate).toString('base64'),
      },
      rules: [{ operations: ['CREATE', 'UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': home } },
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      ...more,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.peer[Symbol.asyncDispose]();
  }
}

/** Puts webhooks into force. */
export async function install(api: Api, type: keyof typeof configurations, name: string, ...webhooks: object[]) {
  const { status, body } = await api.post(configurations[type], { metadata: { name }, webhooks });
  expect([status, body.message]).toEqual([201, undefined]);
}
