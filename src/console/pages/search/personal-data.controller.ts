import { Get, Query, Req, Res } from '@nestjs/common';
import type { Request } from 'express';
import { Context, type RequestContext } from '../../../audit/request-context.js';
import { ContactDataService } from '../../../contacts/data/contact-data.service.js';
import { CONTACT_DATA_FILE, CONTACT_DATA_ROUTE } from '../../../contacts/data/operations.js';
import { parseEmailAddress } from '../../../email-address/email-address.js';
import { InvalidEmailAddress } from '../../../email-address/invalid-email-address.js';
import { ValidationError } from '../../../http/errors/errors.js';
import type { TracedResponse } from '../../../http/responses/response.js';
import { sendStream } from '../../../http/responses/send-stream.js';
import { Route } from '../../../http/route-options.js';
import type { ContactRef } from '../../../topics/contact.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { textOf, type Fields } from '../../access/fields.js';
import { RequireRole } from '../../access/require-role.decorator.js';

@ConsoleController('personal-data')
@RequireRole('admin')
export class PersonalDataController {
  constructor(private readonly data: ContactDataService) {}

  @Get()
  @Route(CONTACT_DATA_ROUTE)
  async download(
    @Context() context: RequestContext,
    @Query() query: Fields,
    @Req() request: Request,
    @Res() response: TracedResponse,
  ): Promise<void> {
    const pieces = await this.data.write(context, contactIn(query));
    await sendStream(request, response, pieces, CONTACT_DATA_FILE);
  }
}

/** @throws {ValidationError} */
function contactIn(query: Fields): ContactRef {
  const email = parseEmailAddress(textOf(query, 'email'));
  if (email instanceof InvalidEmailAddress) {
    throw ValidationError.ofRequest(`The address ${email.problem}.`);
  }
  return { email };
}
