// /configz: the configuration in effect as an object, by the name of the component, as kube components show theirs.

import { apiGroup, type Dialect } from '../meta/dialect.ts';
import { json, type Routes, requireRead } from './routes.ts';

/** `configuration` is called for each request: parts of it change while the server runs. */
export function addConfigurationPage(routes: Routes, dialect: Dialect, configuration: () => object): void {
  const name = `apiserver.${apiGroup(dialect, 'config')}`;
  routes.addUnlisted('/configz', (exchange) => {
    requireRead(exchange);
    return json({ [name]: configuration() });
  });
}
