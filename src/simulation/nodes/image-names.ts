// Names and ids as a container runtime reports them.

import { createHash } from 'node:crypto';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The full name of an image: with registry, and with a tag or digest. */
export function fullImageName(image: string): string {
  const [first = '', ...rest] = image.split('/');
  const hasRegistry = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  const path = hasRegistry ? image : rest.length === 0 ? `docker.io/library/${image}` : `docker.io/${image}`;
  const last = path.slice(path.lastIndexOf('/') + 1);
  return /[:@]/.test(last) ? path : `${path}:latest`;
}

const ids = new Map<string, string>();
const maxIds = 1000;

/** An id that stays the same for an image. */
export function imageId(image: string): string {
  const existing = ids.get(image);
  if (existing !== undefined) return existing;
  const name = fullImageName(image);
  const id = /@/.test(name) ? name : `${name.slice(0, name.lastIndexOf(':'))}@sha256:${sha256(name)}`;
  if (ids.size >= maxIds) ids.clear();
  ids.set(image, id);
  return id;
}

/** The id of one run of a container. */
export const containerId = (podUid: string, container: string, run: number): string =>
  `containerd://${sha256(`${podUid}/${container}/${run}`)}`;
