import { Get, Param, Post, Req, Res } from '@nestjs/common';
import type { Request } from 'express';
import { actorText } from '../../../audit/actor.js';
import { ContactDataService } from '../../../contacts/data/contact-data.service.js';
import { CONTACT_DATA_FILE, CONTACT_DATA_ROUTE } from '../../../contacts/data/operations.js';
import { EraseContactDto, ErasureDto } from '../../../contacts/erasure/erasure.dto.js';
import { ErasuresService, type Receipt } from '../../../contacts/erasure/erasures.service.js';
import { ErasureNotFoundError } from '../../../contacts/erasure/errors.js';
import { parseEmailAddress, type EmailAddress } from '../../../email-address/email-address.js';
import { ValidationError } from '../../../http/errors/errors.js';
import { idPipe } from '../../../http/pipes.js';
import { SeeOther, type HtmlResponse } from '../../../http/responses/html-response.js';
import type { TracedResponse } from '../../../http/responses/response.js';
import { sendStream } from '../../../http/responses/send-stream.js';
import { Route } from '../../../http/route.js';
import { isPseudonym } from '../../../pseudonyms/pseudonym.js';
import { ConsoleController, RequireRole } from '../../access/console-controller.decorator.js';
import { CurrentVisit, Done, readAs, submit, type Visit } from '../../access/visit.js';
import { ConsolePage } from '../../components/console-page.js';
import { Badge, Card, Facts, Timestamp } from '../../components/content.js';
import { textOf, type Fields } from '../../components/form.js';
import { Table } from '../../components/list.js';
import { capitalized } from '../../components/words.js';
import { AddressAnswers } from './address-answers.js';
import { answerPage } from './address.controller.js';

const ErasureIdPipe = idPipe(ErasureNotFoundError);

@ConsoleController('personal-data', 'admin')
export class PersonalDataController {
  constructor(
    private readonly data: ContactDataService,
    private readonly erasures: ErasuresService,
    private readonly answers: AddressAnswers,
  ) {}

  @Get()
  @Route(CONTACT_DATA_ROUTE)
  async download(
    @CurrentVisit() { context, query }: Visit,
    @Req() request: Request,
    @Res() response: TracedResponse,
  ): Promise<void> {
    const email = await this.addressIn(context.accountId, query);
    const pieces = await this.data.write(context, { email });
    await sendStream(request, response, pieces, CONTACT_DATA_FILE);
  }

  /** What was erased, without the address. While the erasure runs, the script reloads the page. */
  @Get('erasures/:erasure')
  async show(
    @CurrentVisit() visit: Visit,
    @Param('erasure', ErasureIdPipe) id: string,
  ): Promise<HtmlResponse> {
    const receipt = await this.erasures.find(visit.accountId, id);
    const isRunning = receipt.completedAt === null;
    return (
      <ConsolePage visitor={visit} title="Erasure of an address" section="/console" isRunning={isRunning}>
        <Card id="erasure" isRunning={isRunning}>
          <p class="row">
            {isRunning ? <Badge tone="warn" text="running" /> : <Badge tone="good" text="completed" />}
            {isRunning && (
              <span class="muted">
                This takes about half a minute, or several minutes in a large account or while an import runs.
                This page updates automatically. You can close it.
              </span>
            )}
          </p>
          <Facts
            facts={{
              'The block': receipt.keepBlock ? 'Kept, with a pseudonym' : 'Erased',
              Reference: receipt.reference,
              'Erased by': actorText(receipt.actor),
              Began: <Timestamp at={receipt.createdAt} />,
              Ended: <Timestamp at={receipt.completedAt} />,
              'In backups': !isRunning && <BackupsUntil at={receipt.backupsUntil} />,
              Pseudonym: <code>{receipt.pseudonym}</code>,
            }}
          />
        </Card>
        <Counts counts={receipt.counts} />
        {!isRunning && (
          <Card title="Receipt">
            <p class="copy">{JSON.stringify(new ErasureDto(receipt))}</p>
            <p class="muted">
              It does not contain the address. Keep it outside the database: after a restore from a backup,{' '}
              <code>suppressions person erase --from</code> erases the address again by it.
            </p>
          </Card>
        )}
      </ConsolePage>
    );
  }

  /** An erasure that was refused is shown again at this path. */
  @Get('erase')
  leaveForm(): HtmlResponse {
    return new SeeOther('/console');
  }

  @Post('erase')
  @RequireRole('admin', { recent: true })
  erase(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return submit(
      visit,
      () => this.eraseAddress(visit),
      (refused) => answerPage(refused, this.answers),
    );
  }

  private async eraseAddress({ context, form }: Visit): Promise<Done> {
    const email = await this.addressIn(context.accountId, form);
    const typed = textOf(form, 'typed');
    if (typed !== email && parseEmailAddress(typed) !== email) {
      throw ValidationError.ofRequest('Nothing was erased: the address that you typed is another one.');
    }
    const body = await readAs(EraseContactDto, {
      keep_block: textOf(form, 'block') === 'keep',
      reference: textOf(form, 'reference'),
      accept_may_be_mailed_again: textOf(form, 'accept') === 'yes',
    });
    const { id, completedAt, isRepeated } = await this.erasures.erase(context, { email }, body.toRequest());
    if (isRepeated) {
      throw ValidationError.ofRequest(
        'Nothing was erased: the address was erased before with this reference. If it has come back, enter another reference.',
      );
    }
    return new Done(
      `/console/personal-data/erasures/${id}`,
      completedAt ? 'The address is erased.' : 'The address is being erased.',
    );
  }

  /** @throws {ValidationError} */
  private async addressIn(accountId: number, fields: Fields): Promise<EmailAddress> {
    const email = await this.answers.emailOf(accountId, textOf(fields, 'email'));
    if (isPseudonym(email)) {
      throw ValidationError.ofRequest('This address has already been erased.');
    }
    return email;
  }
}

function BackupsUntil({ at }: { at: Date | null }) {
  return at ? (
    <>
      Until <Timestamp at={at} />
    </>
  ) : (
    <>Until they are deleted: BACKUP_RETENTION_DAYS is not set</>
  );
}

function Counts({ counts }: Pick<Receipt, 'counts'>) {
  const rows = Object.entries(counts).filter(([, count]) => count > 0);
  return (
    <Card title="Rows that were changed or deleted">
      <Table
        caption="Rows that were changed or deleted"
        rows={rows}
        columns={{
          Table: ([table]) => capitalized(table.replaceAll('_', ' ')),
          Rows: ([, count]) => count.toLocaleString('en'),
        }}
        numbers={['Rows']}
        empty="None so far."
      />
    </Card>
  );
}
