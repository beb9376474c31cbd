// Messages of the key management API v2, and the form in which encrypted values are stored with their keys.

import { asBytes, asInteger, asText, readFields } from '../../../codec/protobuf/reader.ts';
import { ProtobufWriter } from '../../../codec/protobuf/writer.ts';
import { checkFullDomain } from '../../../meta/network-names.ts';

type Annotations = ReadonlyMap<string, Uint8Array>;

/** The status of a plugin. */
export interface PluginStatus {
  readonly version: string;
  readonly healthz: string;
  readonly keyId: string;
}

/** A secret that a plugin has encrypted, with the data to decrypt it. */
export interface WrappedSecret {
  readonly ciphertext: Uint8Array;
  readonly keyId: string;
  readonly annotations: Annotations;
}

/** What a value was encrypted with: a key, or a seed from which there is another key for each value. */
type SourceType = 'key' | 'seed';

const sourceTypes: readonly SourceType[] = ['key', 'seed'];

/** A stored value with the wrapped secret of its key. */
export interface Envelope extends WrappedSecret {
  readonly data: Uint8Array;
  readonly sourceType: SourceType;
}

const none: Annotations = new Map();

export function decodeStatus(bytes: Uint8Array): PluginStatus {
  let version = '';
  let healthz = '';
  let keyId = '';
  for (const { number, value } of readFields(bytes)) {
    if (number === 1) version = asText(value);
    else if (number === 2) healthz = asText(value);
    else if (number === 3) keyId = asText(value);
  }
  return { version, healthz, keyId };
}

export function encodeEncryptRequest(plaintext: Uint8Array, uid: string): Buffer {
  return new ProtobufWriter().bytes(1, plaintext).string(2, uid).finish();
}

export function decodeEncryptResponse(bytes: Uint8Array): WrappedSecret {
  let ciphertext: Uint8Array = Buffer.alloc(0);
  let keyId = '';
  const annotations = new Map<string, Uint8Array>();
  for (const { number, value } of readFields(bytes)) {
    if (number === 1) ciphertext = asBytes(value);
    else if (number === 2) keyId = asText(value);
    else if (number === 3) readAnnotation(asBytes(value), annotations);
  }
  return { ciphertext, keyId, annotations };
}

export function encodeDecryptRequest({ ciphertext, keyId, annotations }: WrappedSecret, uid: string): Buffer {
  const out = new ProtobufWriter().bytes(1, ciphertext).string(2, uid).string(3, keyId);
  return writeAnnotations(out, 4, annotations).finish();
}

export function decodeDecryptResponse(bytes: Uint8Array): Uint8Array {
  for (const { number, value } of readFields(bytes)) if (number === 1) return asBytes(value);
  return Buffer.alloc(0);
}

export function encodeEnvelope({ data, ciphertext, keyId, annotations, sourceType }: Envelope): Buffer {
  const out = new ProtobufWriter().bytes(1, data).string(2, keyId).bytes(3, ciphertext);
  writeAnnotations(out, 4, annotations);
  const type = sourceTypes.indexOf(sourceType);
  return (type === 0 ? out : out.integer(5, type)).finish();
}

/** Throws for bytes that are no envelope, or one that breaks the limits. */
export function decodeEnvelope(bytes: Uint8Array): Envelope {
  let data: Uint8Array = Buffer.alloc(0);
  let ciphertext: Uint8Array = data;
  let keyId = '';
  let annotations: Map<string, Uint8Array> | undefined;
  let type = 0;
  for (const { number, value } of readFields(bytes)) {
    if (number === 1) data = asBytes(value);
    else if (number === 2) keyId = asText(value);
    else if (number === 3) ciphertext = asBytes(value);
    else if (number === 4) {
      annotations ??= new Map();
      readAnnotation(asBytes(value), annotations);
    } else if (number === 5) type = asInteger(value);
  }
  const sourceType = sourceTypes[type];
  if (sourceType === undefined) throw new Error(`unknown encryptedDEKSourceType: ${type}`);
  if (data.length === 0) throw new Error('encrypted data is empty');
  const envelope = { data, ciphertext, keyId, annotations: annotations ?? none, sourceType };
  checkWrapped(envelope);
  return envelope;
}

function writeAnnotations(out: ProtobufWriter, number: number, annotations: Annotations): ProtobufWriter {
  for (const [name, value] of annotations) out.message(number, (entry) => entry.string(1, name).bytes(2, value));
  return out;
}

function readAnnotation(bytes: Uint8Array, into: Map<string, Uint8Array>): void {
  let name = '';
  let content: Uint8Array = Buffer.alloc(0);
  for (const { number, value } of readFields(bytes)) {
    if (number === 1) name = asText(value);
    else if (number === 2) content = asBytes(value);
  }
  into.set(name, content);
}

const mostKeyIdBytes = 1024;
const mostSecretBytes = 1024;
const mostAnnotationBytes = 32 * 1024;

/** How a key id is wrong, under the names that metrics have for it. */
export function keyIdProblem(
  keyId: string,
): { readonly code: 'empty' | 'too_long'; readonly message: string } | undefined {
  if (keyId === '') return { code: 'empty', message: 'keyID is empty' };
  const bytes = Buffer.byteLength(keyId);
  if (bytes <= mostKeyIdBytes) return undefined;
  return { code: 'too_long', message: `keyID is ${bytes} bytes, which exceeds the max size of ${mostKeyIdBytes}` };
}

/** Throws where a plugin, or who wrote a value, kept to none of the limits of the API. */
export function checkWrapped({ ciphertext: { length }, keyId, annotations }: WrappedSecret): void {
  const source = 'failed to validate encrypted DEK source: encrypted DEK source is';
  if (length === 0) throw new Error(`${source} empty`);
  if (length > mostSecretBytes)
    throw new Error(`${source} ${length} bytes, which exceeds the max size of ${mostSecretBytes}`);
  const wrong = keyIdProblem(keyId);
  if (wrong !== undefined) throw new Error(`failed to validate key id: ${wrong.message}`);
  let bytes = 0;
  for (const [name, value] of annotations) {
    bytes += Buffer.byteLength(name) + value.length;
    if (checkFullDomain(name).length > 0)
      throw new Error(`${annotationProblem}: a key is not a fully qualified domain name`);
  }
  if (bytes > mostAnnotationBytes)
    throw new Error(
      `${annotationProblem}: ${totalSize} ${bytes}, which exceeds the max size of ${mostAnnotationBytes}`,
    );
}

const annotationProblem = 'failed to validate annotations';
const totalSize = 'total size of annotations is';
