// Objects as YAML.

import { stringify } from 'yaml';

export const toText = (object: unknown) => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false });
