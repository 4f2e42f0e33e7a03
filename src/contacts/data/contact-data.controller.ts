import { Controller, Get, Req, Res } from '@nestjs/common';
import type { Request } from 'express';
import { Context, type RequestContext } from '../../audit/request-context.js';
import type { TracedResponse } from '../../http/responses/response.js';
import { sendStream } from '../../http/responses/send-stream.js';
import type { ContactRef } from '../../topics/contact.js';
import { ContactParam } from '../operations.js';
import { ContactDataService } from './contact-data.service.js';
import { CONTACT_DATA_FILE, operations } from './operations.js';

@Controller('contacts/:contact/data')
export class ContactDataController {
  constructor(private readonly data: ContactDataService) {}

  @Get()
  @operations.readContactData
  async read(
    @Context() context: RequestContext,
    @ContactParam contact: ContactRef,
    @Req() request: Request,
    @Res() response: TracedResponse,
  ): Promise<void> {
    await sendStream(request, response, await this.data.write(context, contact), CONTACT_DATA_FILE);
  }
}
