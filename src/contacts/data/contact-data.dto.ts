import { ApiProperty } from '@nestjs/swagger';
import { timestamp, uuid } from '../../http/properties.js';

export class ContactDataRowDto {
  @ApiProperty({
    description: 'Whether the row is about another address, and only quotes this one.',
    example: true,
  })
  is_quote!: boolean;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The row, by column.',
    example: { id: '0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11', note: 'As contact@example.com asked' },
  })
  row!: Record<string, unknown>;
}

export class ContactDataTableDto {
  @ApiProperty({ example: 'rules' })
  table!: string;

  @ApiProperty({
    description: 'Where the rows come from.',
    example: 'an API key or a person of the console',
  })
  origin!: string;

  @ApiProperty({ description: 'How long they are kept.', example: 'until the rule is deleted' })
  kept!: string;

  @ApiProperty({ type: [ContactDataRowDto] })
  data!: ContactDataRowDto[];
}

/** What `ContactDataService` writes. */
export class ContactDataDto {
  @ApiProperty({ enum: ['contact_data'], example: 'contact_data' })
  object!: 'contact_data';

  @ApiProperty({ example: 'contact@example.com' })
  email!: string;

  @ApiProperty(uuid('The id of the contact.', '5d0b6a3e-1c4f-5e7a-8b92-6f3d2c1a0e94'))
  contact_id!: string;

  @ApiProperty(timestamp('When the response began.', '2026-01-15T09:30:00.000Z'))
  generated_at!: string;

  @ApiProperty({ description: 'Every table that can hold the address.', type: [ContactDataTableDto] })
  tables!: ContactDataTableDto[];
}
