import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { nullableText } from '../../http/properties.js';
import { MAX_FILTERS } from '../../pseudonyms/kept-blocks.repository.js';

@ApiSchema({ name: 'PseudonymKey' })
export class PseudonymKeyDto {
  @ApiProperty({ enum: ['pseudonym_key'], example: 'pseudonym_key' })
  object = 'pseudonym_key' as const;

  @ApiProperty(
    nullableText(
      '32 bytes in base64. Null if the account never erased an address.',
      'c2VjcmV0IGtleSBvZiBhbiBhY2NvdW50LCAzMiBieXQ=',
    ),
  )
  key: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    nullable: true,
    description: `The filters of the kept blocks, by pseudonym. Null if there are more than ${MAX_FILTERS.toLocaleString('en')}.`,
    example: { 'erased-mfrggzdfmztwq2lknnwg23tpoa@erased.invalid': -1_240_316_402 },
  })
  filters: Record<string, number> | null;

  constructor(key: string | null, filters: Record<string, number> | null) {
    this.key = key;
    this.filters = filters;
  }
}
