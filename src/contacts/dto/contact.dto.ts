import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { nullableText, timestamp, uuid } from '../../http/properties.js';
import type { ContactState } from '../contacts.service.js';

const NEVER_STORED = 'For clients that read it: the service does not store it.';

@ApiSchema({ name: 'ContactId' })
export class ContactIdDto {
  @ApiProperty({ enum: ['contact'], example: 'contact' })
  object = 'contact' as const;

  @ApiProperty(
    uuid('The id of the address in this account. It never changes.', 'a4f0c6d2-7f3e-5b1c-9c58-0d2b6e8f4a17'),
  )
  id: string;

  constructor(id: string) {
    this.id = id;
  }
}

@ApiSchema({ name: 'Contact' })
export class ContactDto extends ContactIdDto {
  @ApiProperty({ example: 'ada@example.com' })
  email: string;

  @ApiProperty(nullableText(NEVER_STORED, null))
  first_name: string | null = null;

  @ApiProperty(nullableText(NEVER_STORED, null))
  last_name: string | null = null;

  @ApiProperty(
    timestamp(
      'When the contact was created or, if it was earlier, the first change of the address.',
      '2026-01-15T09:30:00.000Z',
    ),
  )
  created_at: string;

  @ApiProperty({
    description:
      'Whether the suppression of the address has the cause `unsubscribe`. `false` does not mean that it may be mailed.',
    example: true,
  })
  unsubscribed: boolean;

  @ApiProperty({ type: Object, description: NEVER_STORED, example: {} })
  properties: object = {};

  constructor({ id, email, createdAt, isUnsubscribed }: ContactState) {
    super(id);
    this.email = email;
    this.created_at = createdAt.toISOString();
    this.unsubscribed = isUnsubscribed;
  }
}
