// Tells the audit backend what was asked and how it was answered.

import type { AuditBackend } from '../audit/audit.ts';
import type { Stage } from './stage.ts';

export function audit(backend: AuditBackend | undefined): Stage {
  return function audit(exchange) {
    if (backend !== undefined) {
      backend.received(exchange);
      exchange.onAnswer((response) => backend.answered(exchange, response));
    }
    return undefined;
  };
}
