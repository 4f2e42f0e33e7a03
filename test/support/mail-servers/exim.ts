import { configurationOf } from './page.js';
import { MailServer } from './mail-server.js';
import { SINK_PORT } from './mail-sink.js';

const TEMPLATE = 'etc/exim4/exim4.conf.template';

export class Exim extends MailServer {
  constructor() {
    super('exim', 2526);
  }

  protected async configure(): Promise<string[]> {
    const [acl, router] = configurationOf('Exim') as [string, string];
    this.edit(TEMPLATE, ['\nacl_check_rcpt:\n', `\nacl_check_rcpt:\n${acl}`]);
    this.edit(TEMPLATE, ['\nbegin routers\n', `\nbegin routers\n\n${router}\n`]);
    // The next hop is this machine.
    this.edit(
      TEMPLATE,
      ['\nsmarthost:\n', '\nsmarthost:\n  self = send\n'],
      ['\n  multi_domain\n', '\n  multi_domain\n  allow_localhost\n'],
    );
    this.edit(
      'etc/exim4/update-exim4.conf.conf',
      ["dc_eximconfig_configtype='local'", "dc_eximconfig_configtype='smarthost'"],
      ["dc_smarthost=''", `dc_smarthost='127.0.0.1::${SINK_PORT}'`],
    );
    this.write('etc/mailname', 'mail.test\n');
    await this.run(['update-exim4.conf']);
    return this.inside('exim4', '-bdf', '-oX', `127.0.0.1.${this.port}`);
  }
}
