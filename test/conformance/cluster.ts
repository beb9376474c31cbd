// One cluster that requests are sent to, as its kubeconfig says: any header, any body, answers as they come.

import type { IncomingMessage } from 'node:http';
import { Agent, type AgentOptions, request } from 'node:https';
import { systemClock } from '../../src/base/time/clock.ts';
import { credentialsOf } from '../../src/client/credential-source.ts';
import { pemSource } from '../../src/client/credentials.ts';
import { type KubeconfigSource, loadKubeconfig } from '../../src/client/kubeconfig/load.ts';
import { targetOf } from '../../src/client/kubeconfig/target.ts';
import { kubernetes } from '../../src/meta/dialect.ts';

export interface Call {
  readonly method: string;
  readonly path: string;
  /** With `authorization` the request does not use the credentials of the kubeconfig; an empty one is none at all. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Buffer | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly warnings: readonly string[];
  readonly body: Buffer;
}

/** How long an answer may take to begin, and to end. */
const timeoutMs = 120_000;
const endlessMs = 8_000;

interface Identity {
  readonly agent: Agent;
  readonly authorization?: string | undefined;
}

export class Cluster implements Disposable {
  readonly #url: URL;
  readonly #own: Identity;
  /** Connections without a client certificate. */
  readonly #stranger: Identity;

  constructor(url: URL, own: Identity, stranger: Identity) {
    this.#url = url;
    this.#own = own;
    this.#stranger = stranger;
  }

  async send(call: Call): Promise<Answer> {
    const incoming = await this.#begin(call);
    const parts: Buffer[] = [];
    // an answer that never ends is one more way to answer differently
    const cut = setTimeout(() => incoming.destroy(), endlessMs);
    try {
      for await (const part of incoming) parts.push(part as Buffer);
    } catch (error) {
      if (!incoming.destroyed) throw error;
    } finally {
      clearTimeout(cut);
    }
    return answerOf(incoming, Buffer.concat(parts));
  }

  /** The lines of a stream until `enough` says so or it ends; `opened` runs next to it. */
  async stream(call: Call, opened: () => Promise<void>, enough: (lines: number) => boolean): Promise<Answer> {
    const incoming = await this.#begin(call);
    const neighbour = opened();
    let text = '';
    const cut = setTimeout(() => incoming.destroy(), endlessMs);
    try {
      for await (const part of incoming.setEncoding('utf8')) {
        text += String(part);
        if (enough(text.split('\n').length - 1)) break;
      }
    } catch (error) {
      if (!incoming.destroyed) throw error;
    } finally {
      clearTimeout(cut);
    }
    await neighbour;
    return answerOf(incoming, Buffer.from(text));
  }

  #begin({ method, path, headers, body }: Call): Promise<IncomingMessage> {
    const { agent, authorization } = headers['authorization'] === undefined ? this.#own : this.#stranger;
    const all = { 'user-agent': 'conformance/1.0', accept: 'application/json', authorization, ...headers };
    const sent = request(new URL(path, this.#url), {
      method,
      agent,
      headers: { ...withoutEmpty(all), ...(body && { 'content-length': body.length }) },
      timeout: timeoutMs,
    });
    return new Promise((resolve, reject) => {
      sent.on('response', resolve);
      sent.on('timeout', () => sent.destroy(new Error(`${method} ${path}: no answer within ${timeoutMs} ms`)));
      sent.on('error', reject);
      sent.end(body);
    });
  }

  [Symbol.dispose](): void {
    this.#own.agent.destroy();
    this.#stranger.agent.destroy();
  }
}

function withoutEmpty(headers: Readonly<Record<string, string | readonly string[] | undefined>>) {
  const given = Object.entries(headers).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(given) as Record<string, string | string[]>;
}

function answerOf(incoming: IncomingMessage, body: Buffer): Answer {
  const { statusCode: status = 0, headers, rawHeaders } = incoming;
  const warnings = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'warning');
  return { status, headers, warnings, body };
}

export async function openCluster(source: KubeconfigSource): Promise<Cluster> {
  const target = targetOf(await loadKubeconfig(source));
  const { certificateAuthorityData, certificateAuthority, insecureSkipTlsVerify, tlsServerName } = target.cluster;
  const ca = pemSource(certificateAuthorityData, certificateAuthority, systemClock)?.();
  const settings = {
    clock: systemClock,
    dialect: kubernetes,
    environment: process.env,
    mayAskUser: false,
    showsErrors: true,
  };
  const { authorization, keyPair } = await credentialsOf(target, settings).current();
  const common: AgentOptions = {
    keepAlive: true,
    rejectUnauthorized: !insecureSkipTlsVerify,
    ...(ca === undefined ? {} : { ca }),
    ...(tlsServerName === '' ? {} : { servername: tlsServerName }),
  };
  const certificate = keyPair && { cert: keyPair.certificate, key: keyPair.privateKey };
  return new Cluster(
    target.url,
    { agent: new Agent({ ...common, ...certificate }), authorization },
    { agent: new Agent(common) },
  );
}
