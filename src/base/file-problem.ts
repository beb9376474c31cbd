// Errors of the file system in plain words.

const words: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is a file',
  EACCES: 'this user has no permission',
  EISDIR: 'it is a folder',
};

/** Undefined for other errors. */
export const fileProblem = ({ code = '' }: NodeJS.ErrnoException): string | undefined => words[code];
