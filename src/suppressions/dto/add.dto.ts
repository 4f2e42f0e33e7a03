import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { parseEmailAddress, type EmailAddress } from '../../email-address/email-address.js';
import { IsEmail } from '../../email-address/is-email.js';
import { Parse, ParseEach } from '../../validation/parse.decorator.js';
import type { WritesJson } from '../../http/responses/response.js';
import { EntryDto } from './entry.dto.js';
import { writeElements } from './suppression-json.js';
import { SuppressionIdDto } from './suppression.dto.js';

const MAX_EMAILS = 100;

@ApiSchema({ name: 'AddRequest' })
export class AddDto extends EntryDto {
  @ApiProperty({ type: String, description: 'The address to suppress.', example: 'ada@example.com' })
  @Expose()
  @Parse(parseEmailAddress)
  @IsEmail()
  email!: EmailAddress;
}

@ApiSchema({ name: 'BatchAddRequest' })
export class BatchAddDto extends EntryDto {
  @ApiProperty({
    description: 'The 1 to 100 addresses to suppress. An address that is already suppressed keeps its id.',
    type: [String],
    minItems: 1,
    maxItems: MAX_EMAILS,
    example: ['ada@example.com', 'grace@example.com'],
  })
  @Expose()
  @ParseEach(parseEmailAddress, MAX_EMAILS)
  @IsArray({ message: 'must be an array of 1 to 100 email addresses' })
  @ArrayMinSize(1, { message: 'must have at least 1 email address' })
  @ArrayMaxSize(MAX_EMAILS, { message: 'must have at most 100 email addresses' })
  @IsEmail({ each: true })
  emails!: EmailAddress[];
}

@ApiSchema({ name: 'BatchAdded' })
export class BatchAddedDto implements WritesJson {
  readonly #ids: string[];

  constructor(ids: string[]) {
    this.#ids = ids;
  }

  @ApiProperty({
    description: 'One element for each address, in the order of the request.',
    type: [SuppressionIdDto],
  })
  get data(): SuppressionIdDto[] {
    return this.#ids.map((id) => new SuppressionIdDto(id));
  }

  writeJson(): string[] {
    const elements = writeElements(this.#ids, (id) => `{"object":"suppression","id":"${id}"}`);
    return [`{"data":[${elements.join('')}]}`];
  }
}
