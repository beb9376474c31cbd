// The key management plugins of one encryption configuration, from their first answer to their last.

import type { Clock } from '../../base/time/clock.ts';
import type { Log } from '../../config/options.ts';
import type { EncryptionObserver } from '../../storage/encryption/encryption-observer.ts';
import type { Form } from '../../storage/encryption/form.ts';
import { DataKeys } from '../../storage/encryption/kms/data-keys.ts';
import { EnvelopeForm } from '../../storage/encryption/kms/envelope-form.ts';
import type { PluginSettings } from '../../storage/encryption/kms/plugin-settings.ts';
import type { EncryptionRule } from '../../storage/encryption/transformers.ts';

interface PluginParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly observer: EncryptionObserver;
}

interface OpenPlugin {
  readonly settings: PluginSettings;
  readonly keys: DataKeys;
  readonly form: Form;
}

export class EncryptionPlugins {
  readonly #open: OpenPlugin[] = [];
  /** Called when a plugin works that did not. */
  onRecovery: () => void = () => {};

  private constructor() {}

  /** Waits for the first answer of each plugin, or for the time that it has for it. */
  static async open(rules: readonly EncryptionRule[], parts: PluginParts): Promise<EncryptionPlugins> {
    const plugins = new EncryptionPlugins();
    const settings = rules.flatMap((rule) =>
      rule.providers.flatMap((provider) => (provider.name === 'kms' ? [provider.plugin] : [])),
    );
    if (settings.length === 0) return plugins;
    const { openPlugin } = await import('../../storage/encryption/kms/plugin.ts');
    for (const one of settings) {
      const keys = new DataKeys({
        ...{ name: one.name, plugin: openPlugin(one, parts.observer), clock: parts.clock, observer: parts.observer },
        onHealth: (problem) => plugins.#heard(one, problem, parts.log),
      });
      plugins.#open.push({ settings: one, keys, form: new EnvelopeForm(keys, parts.observer) });
    }
    await Promise.all(plugins.#open.map(({ keys }) => keys.start()));
    return plugins;
  }

  get size(): number {
    return this.#open.length;
  }

  /** How long requests may still need a plugin that is no longer configured. */
  get graceMs(): number {
    return 2 * this.#open.reduce((sum, { settings }) => sum + settings.timeoutMs, 0);
  }

  formOf(settings: PluginSettings): Form {
    const found = this.#open.find((one) => one.settings === settings);
    if (found === undefined) throw new Error(`plugin ${JSON.stringify(settings.name)} is not open`);
    return found.form;
  }

  /** What is wrong with them. */
  async check(): Promise<string | undefined> {
    const problems = await Promise.all(this.#open.map(({ keys }) => keys.check()));
    const named = problems.flatMap((problem, at) => (problem === undefined ? [] : [`kms-provider-${at}: ${problem}`]));
    if (named.length === 0) return undefined;
    return named.length === 1 ? named[0] : `[${named.join(', ')}]`;
  }

  close(): void {
    for (const { keys } of this.#open) keys.close();
  }

  #heard({ name }: PluginSettings, problem: string | undefined, log: Log): void {
    if (problem !== undefined) {
      log.error({ plugin: name, problem }, 'a key management plugin does not work');
      return;
    }
    log.info({ plugin: name }, 'a key management plugin works again');
    this.onRecovery();
  }
}
