import { Body, Controller, Get, Patch, Post } from '@nestjs/common';
import { CurrentCaller, type Caller } from '../api-keys/caller.js';
import { Context, type RequestContext } from '../audit/request-context.js';
import type { ContactRef } from '../topics/contact.js';
import { ContactsService } from './contacts.service.js';
import { ContactDto, ContactIdDto, CreateContactDto, UpdateContactDto } from './contact.dto.js';
import { ContactParam, operations } from './operations.js';

/** The order is that of the page at /docs. */
@Controller('contacts')
export class ContactsController {
  constructor(private readonly contacts: ContactsService) {}

  @Post()
  @operations.createContact
  async create(
    @CurrentCaller() { scopes }: Caller,
    @Context() context: RequestContext,
    @Body() body: CreateContactDto,
  ) {
    return new ContactIdDto({ id: await this.contacts.create(context, body.toNewContact(), scopes) });
  }

  @Get(':contact')
  @operations.getContact
  async get(@Context() context: RequestContext, @ContactParam contact: ContactRef) {
    return new ContactDto(await this.contacts.get(context, contact));
  }

  @Patch(':contact')
  @operations.updateContact
  async update(
    @CurrentCaller() { scopes }: Caller,
    @Context() context: RequestContext,
    @ContactParam contact: ContactRef,
    @Body() body: UpdateContactDto,
  ) {
    return new ContactIdDto({ id: await this.contacts.update(context, contact, body.toChanges(), scopes) });
  }
}
