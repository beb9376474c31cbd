// The steps of a start, and the checks of health that wait for them. Those that write are tried again while the disk is full:
// the server is there meanwhile, and says that it is not ready.

import type { HealthState } from '../health-state.ts';
import type { UntilRoom } from '../until-room.ts';
import type { StartHook, StartStep } from './start-hooks.ts';

export class StartSteps {
  readonly #health: HealthState;
  readonly #untilRoom: UntilRoom;
  readonly #hooks: readonly StartHook[];

  constructor(hooks: readonly StartHook[], health: HealthState, untilRoom: UntilRoom) {
    this.#hooks = hooks;
    this.#health = health;
    this.#untilRoom = untilRoom;
  }

  async run(run: () => Promise<void>, step: StartStep, first = run()): Promise<void> {
    await this.#untilRoom.run(run, first, () => this.done(step));
  }

  done(step: StartStep): void {
    for (const [check, needed] of this.#hooks) if (needed === step) this.#health.hookDone(check);
  }
}
