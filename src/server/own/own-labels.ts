// What metrics call this server by.

import { hostname } from 'node:os';
import { identityName } from '../../bootstrap/server-identity.ts';
import type { Dialect } from '../../meta/dialect.ts';
import { type ServerLabels, serverLabels } from '../../metrics/server-labels.ts';

export const ownLabels = (dialect: Dialect): ServerLabels => serverLabels(identityName(dialect, hostname()));
