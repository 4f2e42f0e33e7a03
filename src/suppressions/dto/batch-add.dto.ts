import { ApiProperty } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import type { EmailAddress } from '../../email-address/email-address.js';
import { IsEmail, ParseEmailAddresses } from '../../email-address/is-email.js';
import { SuppressionIdDto } from './suppression.dto.js';

const MAX_EMAILS = 100;

export class BatchAddDto {
  @ApiProperty({
    description: 'The addresses to suppress, 1 to 100 of them. One that is suppressed already keeps its id.',
    type: [String],
    minItems: 1,
    maxItems: MAX_EMAILS,
    example: ['ada@example.com', 'grace@example.com'],
  })
  @Expose()
  @ParseEmailAddresses(MAX_EMAILS)
  @IsArray({ message: 'must be an array of 1 to 100 email addresses' })
  @ArrayMinSize(1, { message: 'must have at least 1 email address' })
  @ArrayMaxSize(MAX_EMAILS, { message: 'must have at most 100 email addresses' })
  @IsEmail({ each: true })
  emails!: EmailAddress[];
}

export class BatchAddedDto {
  @ApiProperty({
    description: 'One element for each address asked, in the order asked.',
    type: [SuppressionIdDto],
  })
  data: SuppressionIdDto[];

  constructor(ids: string[]) {
    this.data = ids.map((id) => new SuppressionIdDto(id));
  }
}
