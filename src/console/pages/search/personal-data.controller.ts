import { Get, Param, Post, Req, Res } from '@nestjs/common';
import type { Request } from 'express';
import { ContactDataService } from '../../../contacts/data/contact-data.service.js';
import { CONTACT_DATA_FILE, CONTACT_DATA_ROUTE } from '../../../contacts/data/operations.js';
import { EraseContactDto } from '../../../contacts/erasure/erasure.dto.js';
import { ErasuresService } from '../../../contacts/erasure/erasures.service.js';
import { ErasureNotFoundError } from '../../../contacts/erasure/errors.js';
import {
  InvalidEmailAddress,
  parseEmailAddress,
  type EmailAddress,
} from '../../../email-address/email-address.js';
import { ValidationError } from '../../../http/errors/errors.js';
import { idPipe } from '../../../http/ref.pipe.js';
import { HtmlPage, type HtmlResponse } from '../../../http/responses/html-response.js';
import type { TracedResponse } from '../../../http/responses/response.js';
import { sendStream } from '../../../http/responses/send-stream.js';
import { Route } from '../../../http/route.js';
import { ConsoleController, RequireRole } from '../../access/console-controller.decorator.js';
import { CurrentVisit, Done, readAs, submit, type Visit } from '../../access/visit.js';
import { textOf, type Fields } from '../../components/form.js';
import { AddressAnswers } from './address-answers.js';
import { answerPage } from './answer-page.js';
import { ErasurePage } from './personal-data.view.js';

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
    const pieces = await this.data.write(context, { email: addressIn(query) });
    await sendStream(request, response, pieces, CONTACT_DATA_FILE);
  }

  @Get('erasures/:erasure')
  async show(
    @CurrentVisit() visit: Visit,
    @Param('erasure', ErasureIdPipe) id: string,
  ): Promise<HtmlResponse> {
    const receipt = await this.erasures.find(visit.accountId, id);
    return new HtmlPage(ErasurePage({ visitor: visit, receipt }), { script: receipt.completedAt === null });
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
    const email = addressIn(form);
    if (parseEmailAddress(textOf(form, 'typed')) !== email) {
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
}

/** @throws {ValidationError} */
function addressIn(fields: Fields): EmailAddress {
  const email = parseEmailAddress(textOf(fields, 'email'));
  if (email instanceof InvalidEmailAddress) {
    throw ValidationError.ofRequest(`The address ${email.problem}.`);
  }
  return email;
}
