// Rules for paths inside containers and volumes.

const isAbsolute = (path: string) => path.startsWith('/');
const climbs = (path: string) => path.split('/').includes('..');

/** A path that stays below the folder it starts from. */
export function checkRelativePath(path: string): readonly string[] {
  return [...(isAbsolute(path) ? ['must be a relative path'] : []), ...checkNoClimb(path)];
}

/** As `checkRelativePath`, and not a name that the node uses for itself. */
export function checkFilePath(path: string): readonly string[] {
  const reserved = path.startsWith('..') && !path.startsWith('../');
  return [...checkRelativePath(path), ...(reserved ? ["must not start with '..'"] : [])];
}

export const checkNoClimb = (path: string): readonly string[] => (climbs(path) ? ["must not contain '..'"] : []);

export const checkAbsolute = (path: string): readonly string[] =>
  isAbsolute(path) ? [] : ['must be an absolute path'];
