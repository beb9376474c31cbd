// A key management plugin of version 2 for tests: gRPC on a socket file, keys derived from their ids.

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { Server, ServerCredentials, type ServiceDefinition, status } from '@grpc/grpc-js';
import { asBytes, asText, readFields } from '../src/codec/protobuf/reader.ts';
import { ProtobufWriter } from '../src/codec/protobuf/writer.ts';

const same = (bytes: Buffer) => bytes;
const method = (name: string) => ({
  path: `/v2.KeyManagementService/${name}`,
  ...{ requestStream: false, responseStream: false },
  ...{ requestSerialize: same, requestDeserialize: same, responseSerialize: same, responseDeserialize: same },
});
const definition: ServiceDefinition = {
  status: method('Status'),
  encrypt: method('Encrypt'),
  decrypt: method('Decrypt'),
};

type Answer = (error: object | null, value?: Buffer) => void;

const annotation = 'version.plugin.example.com';

export class KmsPlugin {
  /** The key for new secrets. */
  keyId = 'first';
  healthz = 'ok';
  version = 'v2';
  /** Calls fail with this code while it is set. */
  failure: number | undefined;
  /** What Encrypt says the key is, where it is another one than Status says. */
  encryptsWith: string | undefined;
  /** Names of the methods that were called. */
  readonly calls: string[] = [];
  readonly #server = new Server();

  static async listen(socket: string): Promise<KmsPlugin> {
    const plugin = new KmsPlugin();
    plugin.#server.addService(definition, {
      status: (_: unknown, answer: Answer) => plugin.#answer('Status', answer, () => plugin.#status()),
      encrypt: ({ request }: { request: Buffer }, answer: Answer) =>
        plugin.#answer('Encrypt', answer, () => plugin.#encrypt(request)),
      decrypt: ({ request }: { request: Buffer }, answer: Answer) =>
        plugin.#answer('Decrypt', answer, () => plugin.#decrypt(request)),
    });
    await new Promise<void>((resolve, reject) => {
      plugin.#server.bindAsync(`unix://${socket}`, ServerCredentials.createInsecure(), (error) =>
        error === null ? resolve() : reject(error),
      );
    });
    return plugin;
  }

  close(): void {
    this.#server.forceShutdown();
  }

  count(name: string): number {
    return this.calls.filter((call) => call === name).length;
  }

  #answer(name: string, answer: Answer, work: () => Buffer): void {
    this.calls.push(name);
    if (this.failure !== undefined) {
      answer({ code: this.failure, details: 'as the test wants it' });
      return;
    }
    try {
      answer(null, work());
    } catch (error) {
      answer({ code: status.INVALID_ARGUMENT, details: (error as Error).message });
    }
  }

  #status(): Buffer {
    return new ProtobufWriter().string(1, this.version).string(2, this.healthz).string(3, this.keyId).finish();
  }

  #encrypt(request: Buffer): Buffer {
    const keyId = this.encryptsWith ?? this.keyId;
    const plaintext = [...readFields(request)].find(({ number }) => number === 1);
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', keyOf(keyId), nonce);
    const sealed = Buffer.concat([cipher.update(asBytes(plaintext?.value ?? Buffer.alloc(0))), cipher.final()]);
    return new ProtobufWriter()
      .bytes(1, Buffer.concat([nonce, sealed, cipher.getAuthTag()]))
      .string(2, keyId)
      .message(3, (entry) => entry.string(1, annotation).bytes(2, Buffer.from('1')))
      .finish();
  }

  #decrypt(request: Buffer): Buffer {
    const fields = [...readFields(request)];
    const ciphertext = asBytes(fields.find(({ number }) => number === 1)?.value ?? Buffer.alloc(0));
    const keyId = asText(fields.find(({ number }) => number === 3)?.value ?? Buffer.alloc(0));
    if (!fields.some(({ number, value }) => number === 4 && asBytes(value).includes(annotation)))
      throw new Error('the annotation is missing');
    const decipher = createDecipheriv('aes-256-gcm', keyOf(keyId), ciphertext.subarray(0, 12));
    decipher.setAuthTag(ciphertext.subarray(-16));
    const plain = Buffer.concat([decipher.update(ciphertext.subarray(12, -16)), decipher.final()]);
    return new ProtobufWriter().bytes(1, plain).finish();
  }
}

const keyOf = (keyId: string) => createHash('sha256').update(keyId).digest();
