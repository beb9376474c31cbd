// The error of a data file that cannot be used.

export class DamagedStoreError extends Error {}
