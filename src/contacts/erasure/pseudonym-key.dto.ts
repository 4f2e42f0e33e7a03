import { ApiProperty, ApiSchema } from '@nestjs/swagger';

@ApiSchema({ name: 'PseudonymKey' })
export class PseudonymKeyDto {
  @ApiProperty({ enum: ['pseudonym_key'], example: 'pseudonym_key' })
  object = 'pseudonym_key' as const;

  @ApiProperty({
    type: String,
    nullable: true,
    description: '32 bytes in base64. Null if the account never erased an address.',
    example: 'c2VjcmV0IGtleSBvZiBhbiBhY2NvdW50LCAzMiBieXQ=',
  })
  key: string | null;

  constructor(key: string | null) {
    this.key = key;
  }
}
