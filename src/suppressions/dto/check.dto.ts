import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import {
  InvalidEmailAddress,
  parseEmailAddress,
  type EmailAddress,
} from '../../email-address/email-address.js';
import { Invalid } from '../../validation/invalid.js';
import { IsParsed, ParseEach } from '../../validation/parse.decorator.js';
import { RejectUnknownFields } from '../../validation/reject-unknown-fields.decorator.js';
import type { FoundSuppression } from '../suppression-lookup.js';
import { SuppressionDto } from './suppression.dto.js';

const MAX_EMAILS = 1000;

export const VERDICTS = ['send', 'suppressed', 'invalid'] as const;

export type Verdict = (typeof VERDICTS)[number];

/** An address as the caller wrote it, and as we read it. */
export interface AskedEmail {
  asked: string;
  email: EmailAddress | InvalidEmailAddress;
}

@ApiSchema({ name: 'CheckRequest' })
@RejectUnknownFields()
export class CheckDto {
  @ApiProperty({
    description: 'The addresses to ask about, 1 to 1000 of them.',
    type: [String],
    minItems: 1,
    maxItems: MAX_EMAILS,
    example: ['ada@example.com', 'new@example.com', 'not an address'],
  })
  @Expose()
  @ParseEach(parseAsked, MAX_EMAILS)
  @IsArray({ message: 'must be an array of 1 to 1000 email addresses' })
  @ArrayMinSize(1, { message: 'must have at least 1 email address' })
  @ArrayMaxSize(MAX_EMAILS, { message: 'must have at most 1000 email addresses' })
  @IsParsed('isString', 'must be a string', { each: true })
  emails!: AskedEmail[];
}

/** A bad address has a verdict of its own; only what is no text at all refuses the request. */
function parseAsked(input: unknown): AskedEmail | Invalid {
  return typeof input === 'string'
    ? { asked: input, email: parseEmailAddress(input) }
    : new Invalid('must be a string');
}

@ApiSchema({ name: 'CheckedEmail' })
export class CheckedEmailDto {
  @ApiProperty({ description: 'The address as asked.', example: 'ada@example.com' })
  email: string;

  @ApiProperty({
    enum: VERDICTS,
    description: '`send`: it may be mailed. `suppressed`: it must not. `invalid`: it is not an address.',
    example: 'suppressed',
  })
  verdict: Verdict;

  @ApiProperty({
    type: SuppressionDto,
    nullable: true,
    description: 'The record, when the verdict is `suppressed`.',
  })
  suppression: SuppressionDto | null;

  constructor({ asked, email }: AskedEmail, suppression: FoundSuppression | undefined) {
    this.email = asked;
    this.verdict = email instanceof InvalidEmailAddress ? 'invalid' : suppression ? 'suppressed' : 'send';
    this.suppression = suppression ? new SuppressionDto(suppression) : null;
  }
}

@ApiSchema({ name: 'Checked' })
export class CheckedDto {
  @ApiProperty({ enum: ['list'], example: 'list' })
  object = 'list' as const;

  @ApiProperty({
    description: 'One element for each address asked, in the order asked.',
    type: [CheckedEmailDto],
  })
  data: CheckedEmailDto[];

  constructor(data: CheckedEmailDto[]) {
    this.data = data;
  }
}
