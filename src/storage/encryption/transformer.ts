// Stored values of some resources: the first provider writes, all of them read. A value begins with the name of
// its provider and of its key, as kube-apiserver has it.

import { bufferOf } from '../../base/bytes.ts';
import { missingKey } from './encrypted-with.ts';
import { type EncryptionObserver, notFromPlugin, secondsSince } from './encryption-observer.ts';
import { counted, type Form, type Place, type ReadValue, startsWith } from './form.ts';
import { PluginError } from './kms/plugin-settings.ts';

const encryptedMark = Buffer.from('k8s:enc:');

/** Values are stored as they are, and those that are encrypted are not read. */
export const identityForm: Form = {
  prefix: Buffer.alloc(0),
  seal: (value) => value,
  open: (sealed) => ({ value: sealed, isStale: false }),
};

export class Transformer {
  readonly #forms: readonly Form[];
  readonly #observer: EncryptionObserver | undefined;

  constructor(forms: readonly Form[], observer?: EncryptionObserver) {
    this.#forms = forms;
    this.#observer = observer;
  }

  /** Some values can only be read after a call of a plugin. */
  get mayWait(): boolean {
    return this.#forms.some(({ prepare }) => prepare !== undefined);
  }

  /** Throws where there is no key to write with. */
  write(value: Uint8Array, place: Place): Uint8Array {
    const form = this.#forms[0] as Form;
    const step = { place, direction: 'to_storage', form: form.prefix.toString() } as const;
    const sealed = counted(this.#observer, step, () => form.seal(value, place));
    return form.prefix.length === 0 ? sealed : Buffer.concat([form.prefix, sealed]);
  }

  /** Gets what `read` needs for this value; undefined where nothing is missing. */
  prepare(stored: Uint8Array, place: Place): Promise<void> | undefined {
    const bytes = bufferOf(stored);
    for (const form of this.#forms) {
      if (form.prepare === undefined || !isOf(bytes, form)) continue;
      const start = performance.now();
      const waits = form.prepare(bytes.subarray(form.prefix.length));
      if (waits !== undefined) return waits.catch((error: unknown) => this.#failed(error, { form, place, start }));
    }
    return undefined;
  }

  #failed(error: unknown, step: { readonly form: Form; readonly place: Place; readonly start: number }): never {
    const { form, place, start } = step;
    const cause = error instanceof Error ? error.cause : undefined;
    this.#observer?.transformed({
      ...{ resource: place.resource, direction: 'from_storage', form: form.prefix.toString() },
      ...{ seconds: secondsSince(start), status: cause instanceof PluginError ? cause.code : notFromPlugin },
    });
    throw error;
  }

  /** Throws an error with the reason for a value that cannot be read. */
  read(stored: Uint8Array, place: Place): ReadValue {
    const bytes = bufferOf(stored);
    const problems = new Set<string>();
    for (const [at, form] of this.#forms.entries()) {
      if (!isOf(bytes, form)) continue;
      try {
        const { value, isStale } = this.#open(form, bytes, place);
        return { value: value === bytes ? stored : value, isStale: isStale || at !== 0 };
      } catch (error) {
        problems.add((error as Error).message);
      }
    }
    if (problems.size > 0) throw new Error(`it cannot be decrypted: ${[...problems].join(', ')}`);
    return counted(this.#observer, { place, direction: 'from_storage', form: 'unknown' }, () => {
      throw new Error(startsWith(bytes, encryptedMark) ? `it cannot be decrypted: ${missingKey(bytes)}` : notEncrypted);
    });
  }

  #open(form: Form, bytes: Buffer, place: Place): ReadValue {
    const { prefix } = form;
    const name = prefix.length === 0 ? 'identity' : prefix.toString();
    return counted(this.#observer, { place, direction: 'from_storage', form: name }, () =>
      form.open(prefix.length === 0 ? bytes : bytes.subarray(prefix.length), place),
    );
  }
}

const notEncrypted = 'it is not encrypted, and the encryption configuration does not have identity among the providers';

/** Values of resources that no configuration names. */
export const plainTransformer = new Transformer([identityForm]);

function isOf(bytes: Buffer, { prefix }: Form): boolean {
  return prefix.length === 0 ? !startsWith(bytes, encryptedMark) : startsWith(bytes, prefix);
}
