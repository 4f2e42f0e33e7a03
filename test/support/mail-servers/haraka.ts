import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { configurationOf } from './page.js';
import { MailServer } from './mail-server.js';
import { SINK_PORT } from './mail-sink.js';

const RELAYING = 'exports.hook_connect = (next, connection) => { connection.relaying = true; next(); };\n';

export class Haraka extends MailServer {
  constructor() {
    super('haraka', 2528);
  }

  protected override async configure(): Promise<string[]> {
    const [plugin] = configurationOf('Haraka') as [string];
    const haraka = join(this.root, 'node_modules/.bin/haraka');
    execFileSync(haraka, ['-i', join(this.root, 'server')]);
    this.write('server/plugins/suppressions.js', plugin);
    this.write('server/plugins/relaying.js', RELAYING);
    this.write('server/config/plugins', 'relaying\nsuppressions\nqueue/smtp_forward\n');
    this.write('server/config/smtp.ini', `listen=127.0.0.1:${this.port}\nnodes=0\n`);
    this.write('server/config/smtp_forward.ini', `host=127.0.0.1\nport=${SINK_PORT}\nenable_outbound=true\n`);
    return [haraka, '-c', join(this.root, 'server')];
  }
}
