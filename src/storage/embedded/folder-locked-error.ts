// Says that another process has the data folder.

export class FolderLockedError extends Error {}
