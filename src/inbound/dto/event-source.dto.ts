import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { text } from '../../http/properties.js';
import type { Source } from '../sources/source.entity.js';

@ApiSchema({ name: 'EventSource' })
export class EventSourceDto {
  @ApiProperty({ format: 'uuid', example: '0198a5f0-52b3-7a41-8c6d-7e8f9a0b1c2d' })
  id: string;

  @ApiProperty({ description: 'The name that the ledger shows.', example: 'sendgrid' })
  name: string;

  @ApiProperty(
    text('The provider that sends the events; `event` for events that were posted to the API.', 'sendgrid'),
  )
  provider: string;

  constructor({ id, name, provider }: Source) {
    this.id = id;
    this.name = name;
    this.provider = provider;
  }
}
