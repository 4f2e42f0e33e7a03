import { configurationOf } from './page.js';
import { MailServer } from './mail-server.js';
import { SINK_PORT } from './mail-sink.js';

export class Postfix extends MailServer {
  constructor() {
    super('postfix', 25);
  }

  protected async configure(): Promise<string[]> {
    const [policy] = configurationOf('Postfix') as [string];
    this.edit('etc/postfix/main.cf', ['\nmyhostname =', `\n${policy}\nmyhostname =`]);
    await this.set('myhostname=mail.test', `relayhost=[127.0.0.1]:${SINK_PORT}`, 'disable_dns_lookups=yes');
    await this.set('maillog_file=/var/log/mail.log');
    return this.inside('postfix', 'start-fg');
  }

  /** Checks mail by the map of transports instead. */
  async useTransportMap(): Promise<void> {
    const [transport] = configurationOf('Socketmap') as [string];
    await this.set('smtpd_recipient_restrictions=', transport.trim());
    await this.run(['postfix', 'reload']);
  }

  /** The data that a map has for a key; empty if it has none. */
  async query(key: string, map: string): Promise<string> {
    return (await this.run(['postmap', '-q', key, `socketmap:inet:127.0.0.1:9997:${map}`])).trim();
  }

  private async set(...settings: string[]): Promise<void> {
    await this.run(['postconf', ...settings]);
  }
}
