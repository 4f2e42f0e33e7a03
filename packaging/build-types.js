import { writeTypes } from './types.js';

/** The types of the modules that `package.json` exports. */
for (const module of ['testing', 'replica/replica']) {
  writeTypes(module);
}
