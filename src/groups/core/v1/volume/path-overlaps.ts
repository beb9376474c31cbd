// Files of one volume that would stand at the same path, or below one another.

import { trimEnd } from '../../../../base/text/trim-ends.ts';
import { type Warnings, warnEach } from '../../../../meta/warn-each.ts';

/** A file in a volume, and where it comes from if there are several sources. */
export interface VolumePath {
  readonly path: string;
  readonly source: string;
}

interface Folder {
  readonly here: { readonly file: VolumePath; readonly index: number }[];
  readonly below: Map<string, Folder>;
}

const emptyFolder = (): Folder => ({ here: [], below: new Map() });

/** The files of a volume so far. */
export class SeenPaths {
  readonly #root = emptyFolder();
  #count = 0;

  #steps = 0;

  /** Each earlier file that this one is in the way of, with both. */
  overlaps(given: VolumePath): Warnings {
    const file = { ...given, path: trimEnd(given.path, (character) => character === '/') };
    if (file.path === '' || !this.#hasRoom(file)) return [];
    const { folder, above } = descend(this.#root, file.path);
    const others = [...above, ...within(folder)].sort((a, b) => a.index - b.index);
    folder.here.push({ file, index: this.#count++ });
    return warnEach(others, (other) => [`${described(file)} with ${described(other.file)}`]);
  }

  /** Each part of a path takes a folder: a body of slashes would take hundreds of megabytes. */
  #hasRoom({ path }: VolumePath): boolean {
    for (let at = 0; at >= 0 && this.#steps <= mostSteps; at = path.indexOf('/', at + 1)) this.#steps++;
    return this.#steps <= mostSteps;
  }
}

/** No honest volume has as many parts of paths; what comes after them is not compared. */
const mostSteps = 20_000;

const described = ({ path, source }: VolumePath) =>
  source === '' ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;

/** The folder of a path, made where it is missing, and the files that would have to be folders for it. */
function descend(root: Folder, path: string): { folder: Folder; above: Folder['here'] } {
  const above: Folder['here'] = [];
  let folder = root;
  for (const step of path.split('/')) {
    above.push(...folder.here.slice(0, most));
    let next = folder.below.get(step);
    if (next === undefined) {
      next = emptyFolder();
      folder.below.set(step, next);
    }
    folder = next;
  }
  return { folder, above };
}

/** More than a client is told of. */
const most = 100;

/** Files at a folder and below it. */
function within(folder: Folder): Folder['here'] {
  const found: Folder['here'] = [];
  const open = [folder];
  for (let one = open.pop(); one !== undefined && found.length < most; one = open.pop()) {
    found.push(...one.here.slice(0, most));
    for (const below of one.below.values()) open.push(below);
  }
  return found;
}
