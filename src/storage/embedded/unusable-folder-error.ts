// The error of a data folder that cannot be made or written to: one line with the reason.

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'no permission to write there',
  EPERM: 'no permission to write there',
  EROFS: 'the file system is read-only',
  EEXIST: 'it is a file',
  ENOTDIR: 'a part of the path is a file',
  ENAMETOOLONG: 'the path is too long',
  ENOENT: 'no folder can be made there',
};

export class UnusableFolderError extends Error {
  constructor(folder: string, cause: NodeJS.ErrnoException) {
    super(`the data folder ${folder} cannot be used: ${reasons[cause.code ?? ''] ?? cause.message}`, { cause });
  }
}
