// Types of webhook client: WebhookClientConfig, ServiceReference.

import { bytes, field, int32, string, struct } from '../../../schema/types.ts';

const home = 'admissionregistration/v1';

const serviceReference = struct(
  home,
  'ServiceReference',
  'Points at the Service that a webhook server listens behind.',
  () => ({
    namespace: field(1, string, { always: true, required: true, about: 'Namespace the Service lives in.' }),
    name: field(2, string, { always: true, required: true, about: 'Name of the Service to call.' }),
    path: field(3, string, { pointer: true, about: 'URL path to send requests to, such as "/review".' }),
    port: field(4, int32, { pointer: true, about: 'Port of the Service to use; default 443.' }),
  }),
);

export const webhookClientConfig = struct(
  home,
  'WebhookClientConfig',
  'How to connect to a webhook server; set either url or service.',
  () => ({
    url: field(3, string, {
      pointer: true,
      about: 'Address of the server as "https://host:port/path", without user info, query or fragment.',
    }),
    service: field(1, serviceReference, {
      pointer: true,
      about: 'A Service in the cluster that fronts the webhook server.',
    }),
    caBundle: field(2, bytes, {
      about: "Base64 of PEM certificates used to verify the server; unset uses the system's trust roots.",
    }),
  }),
);
