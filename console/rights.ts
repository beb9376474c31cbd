// What the user may do, as the server answers it. Asked once for each action of a page.

import { type Signal, signal } from '@preact/signals';
import { sendJson } from './api.ts';
import { apiVersionOf, collectionPath, type Kind, kinds } from './discovery.ts';

export interface Right {
  readonly allowed: boolean;
  /** For the user, where the action is not allowed. */
  readonly reason: string;
}

const allowed: Right = { allowed: true, reason: '' };

/** Undefined until the server has answered. */
export function rightOf(
  kind: Kind,
  verb: string,
  namespace = '',
  name = '',
  subresource = '',
): Signal<Right | undefined> {
  const right = signal<Right | undefined>(undefined);
  void review(kind, verb, namespace, name, subresource).then((answer) => {
    right.value = answer;
  });
  return right;
}

async function review(kind: Kind, verb: string, namespace: string, name: string, subresource: string): Promise<Right> {
  const asked = kinds.value.find((one) => one.kind === 'SelfSubjectAccessReview');
  // without the question, the server still refuses what is not allowed
  if (asked === undefined) return allowed;
  const { group, version, plural: resource } = kind;
  const resourceAttributes = { group, version, resource, verb, namespace, name, subresource };
  const body = { apiVersion: apiVersionOf(asked), kind: asked.kind, spec: { resourceAttributes } };
  try {
    const { status } = await sendJson<{ readonly status: { readonly allowed: boolean; readonly reason?: string } }>(
      'POST',
      collectionPath(asked),
      body,
    );
    if (status.allowed) return allowed;
    const target = `${resource}${subresource === '' ? '' : `/${subresource}`}`;
    return { allowed: false, reason: `You may not ${verb} ${target} here.${status.reason ? ` ${status.reason}` : ''}` };
  } catch {
    return allowed;
  }
}
