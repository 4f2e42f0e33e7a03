import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { parseEmailAddress } from '../../email-address/email-address.js';
import { Invalid } from '../../validation/invalid.js';
import { IsParsed, ParseEach } from '../../validation/parse.decorator.js';
import { RejectUnknownFields } from '../../validation/reject-unknown-fields.decorator.js';
import type { CheckedEmail, RequestedEmail } from '../checked-email.js';
import { VERDICTS, type Verdict } from '../verdict.js';
import { SuppressionDto } from './suppression.dto.js';

const MAX_EMAILS = 1000;

@ApiSchema({ name: 'CheckRequest' })
@RejectUnknownFields()
export class CheckDto {
  @ApiProperty({
    description: 'The 1 to 1,000 addresses to check.',
    type: [String],
    minItems: 1,
    maxItems: MAX_EMAILS,
    example: ['ada@example.com', 'new@example.com', 'not an address'],
  })
  @Expose()
  @ParseEach(parseRequested, MAX_EMAILS)
  @IsArray({ message: 'must be an array of 1 to 1000 email addresses' })
  @ArrayMinSize(1, { message: 'must have at least 1 email address' })
  @ArrayMaxSize(MAX_EMAILS, { message: 'must have at most 1000 email addresses' })
  @IsParsed('isString', 'must be a string', { each: true })
  emails!: RequestedEmail[];
}

/** An invalid address gets a verdict of its own. Only an element that is not a string fails the request. */
function parseRequested(input: unknown): RequestedEmail | Invalid {
  return typeof input === 'string'
    ? { text: input, address: parseEmailAddress(input) }
    : new Invalid('must be a string');
}

@ApiSchema({ name: 'CheckedEmail' })
export class CheckedEmailDto {
  @ApiProperty({ description: 'The address exactly as it was given.', example: 'ada@example.com' })
  email: string;

  @ApiProperty({
    enum: VERDICTS,
    description:
      '`send`: the address may be mailed. `suppressed`: it must not be mailed. `invalid`: it is not an email address.',
    example: 'suppressed',
  })
  verdict: Verdict;

  @ApiProperty({
    type: SuppressionDto,
    nullable: true,
    description: 'The suppression if the verdict is `suppressed`, otherwise null.',
  })
  suppression: SuppressionDto | null;

  constructor({ text, verdict, suppression }: CheckedEmail) {
    this.email = text;
    this.verdict = verdict;
    this.suppression = suppression && new SuppressionDto(suppression);
  }
}

@ApiSchema({ name: 'Checked' })
export class CheckedDto {
  @ApiProperty({ enum: ['list'], example: 'list' })
  object = 'list' as const;

  @ApiProperty({
    description: 'One element for each address, in the order of the request.',
    type: [CheckedEmailDto],
  })
  data: CheckedEmailDto[];

  constructor(checked: CheckedEmail[]) {
    this.data = checked.map((email) => new CheckedEmailDto(email));
  }
}
