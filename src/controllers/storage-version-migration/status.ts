// The status of migrations: which one of a resource runs, and how each came out.

import type { StorageVersionMigration } from '../../groups/storagemigration/v1beta1/storage-version-migration.ts';

type Condition = NonNullable<NonNullable<StorageVersionMigration['status']>['conditions']>[number];
type Told = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

export const running: Told = {
  type: 'Running',
  status: 'True',
  reason: 'MigrationRunning',
  message: 'The migration is running',
};
export const completed: Told = {
  ...running,
  status: 'False',
  reason: 'MigrationCompleted',
  message: 'Migration completed',
};
export const succeeded: Told = {
  type: 'Succeeded',
  status: 'True',
  reason: 'StorageVersionMigrationSucceeded',
  message: '',
};
export const failed = (message: string): Told => ({
  type: 'Failed',
  status: 'True',
  reason: 'StorageVersionMigrationFailed',
  message: message.slice(0, longestMessage),
});

/** Conditions with longer messages are refused. */
const longestMessage = 8000;

const conditionsOf = ({ status }: StorageVersionMigration): readonly Condition[] => status?.conditions ?? [];

export const holds = (migration: StorageVersionMigration, { type }: Told): boolean =>
  conditionsOf(migration).some((one) => one.type === type && one.status === 'True');

export const isOver = (migration: StorageVersionMigration): boolean =>
  holds(migration, succeeded) || holds(migration, failed(''));

/** The migration with a condition in place of the one of its type. */
export function withCondition(migration: StorageVersionMigration, told: Told, now: string): StorageVersionMigration {
  const next = { ...told, lastTransitionTime: now } as Condition;
  const all = conditionsOf(migration);
  const at = all.findIndex(({ type }) => type === told.type);
  const conditions = at < 0 ? [...all, next] : all.with(at, next);
  return { ...migration, status: { ...migration.status, conditions } };
}

interface Turns {
  /** The one that is at work, or has just ended. */
  readonly active: readonly StorageVersionMigration[];
  /** The oldest that waits, where none is at work. */
  readonly next: StorageVersionMigration | undefined;
}

/** Migrations of one resource run one after the other, the oldest first. */
export function turnsOf(migrations: readonly StorageVersionMigration[]): Turns {
  const active = migrations.filter((one) => holds(one, running));
  const isBusy = active.some((one) => !isOver(one));
  const waiting = migrations.filter((one) => !holds(one, running) && !isOver(one)).sort(byAge);
  return { active, next: isBusy ? undefined : waiting[0] };
}

function byAge({ metadata: a }: StorageVersionMigration, { metadata: b }: StorageVersionMigration): number {
  const [first, second] = [a, b].map((one) => `${one.creationTimestamp ?? ''} ${one.name ?? ''}`);
  return (first as string) < (second as string) ? -1 : 1;
}
