import { ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { parseEmailAddress, type EmailAddress } from '../../email-address/email-address.js';
import { CursorDto, pageOf } from '../../http/page.js';
import { parseId } from '../../validation/id.js';
import {
  DELIVERY_EVENT_KIND_MEANINGS,
  DELIVERY_EVENT_KINDS,
  type DeliveryEventKind,
} from '../parsing/delivery-event.js';
import { enumOf } from '../../validation/enum-of.js';
import { EventDto } from './event.dto.js';
import { OptionalOneOf, OptionalParsed } from '../../validation/field.decorators.js';
import { text, uuid } from '../../http/properties.js';

export class ListEventsDto extends CursorDto {
  @ApiPropertyOptional(text('Only events about this address.'))
  @OptionalParsed(parseEmailAddress)
  email?: EmailAddress;

  @ApiPropertyOptional(uuid('Only events of the source with this id.'))
  @OptionalParsed(parseId)
  source?: string;

  @ApiPropertyOptional(enumOf('Only events of this kind.', DELIVERY_EVENT_KIND_MEANINGS))
  @OptionalOneOf(DELIVERY_EVENT_KINDS)
  kind?: DeliveryEventKind;
}

@ApiSchema({ name: 'EventsPage' })
export class EventsPageDto extends pageOf(EventDto) {}
