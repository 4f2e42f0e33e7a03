import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { pack, root } from '../pack.js';

await pack('nodemailer', 'integrations/README.md', (folder) => {
  for (const file of ['suppression-list.cjs', 'suppression-list.d.cts']) {
    copyFileSync(join(root, 'integrations/nodemailer', file), join(folder, file));
  }
});
