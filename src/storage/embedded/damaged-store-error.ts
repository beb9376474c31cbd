// Says that the data file cannot be used as it is.

export class DamagedStoreError extends Error {}
