import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { configurationOf } from './page.js';
import { MailServer } from './mail-server.js';
import { SINK_PORT } from './mail-sink.js';

const FILTER = 'usr/local/bin/smtpd-suppressions';

export class OpenSmtpd extends MailServer {
  constructor() {
    super('opensmtpd', 2527);
  }

  protected async configure(): Promise<string[]> {
    const [filter, listen] = configurationOf('OpenSMTPD') as [string, string];
    this.write(FILTER, filter);
    chmodSync(join(this.root, FILTER), 0o755);
    this.edit(
      'etc/smtpd.conf',
      ['listen on localhost\n', listen.replace('on localhost', `on 127.0.0.1 port ${this.port}`)],
      ['action "relay" relay', `action "relay" relay host smtp://127.0.0.1:${SINK_PORT}`],
    );
    return this.inside('smtpd', '-d');
  }
}
