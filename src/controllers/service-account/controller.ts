// Keeps a service account named default in every active namespace (spec: Service account automation).

import type { ControllerFactory } from '../controller.ts';
import { objectPerNamespace } from './per-namespace.ts';

const name = 'default';

export const serviceAccountController: ControllerFactory = (context) =>
  objectPerNamespace(context, {
    queue: 'serviceaccount',
    plural: 'serviceaccounts',
    name,
    isRight: () => true,
    desired: () => ({ kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name } }),
  });
