// The error of a data folder that another process uses.

export class FolderLockedError extends Error {}
