import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { allows, type Scope } from '../../api-keys/scopes.js';
import { parseEmailAddress, type EmailAddress } from '../../email-address/email-address.js';
import { IsEmail } from '../../email-address/is-email.js';
import { enumOf } from '../../validation/enum-of.js';
import { ConsentDto, parseConsent } from '../../ledger/consent.dto.js';
import type { Consent } from '../../ledger/evidence.js';
import { Parsed } from '../../validation/field.decorators.js';
import { Invalid } from '../../validation/invalid.js';
import { ParseEach } from '../../validation/parse.decorator.js';
import { RejectUnknownFields } from '../../validation/reject-unknown-fields.decorator.js';
import {
  REMOVAL_STATUS_MEANINGS,
  type ListRemoval,
  type ListRemovalStatus,
  type NewListRemovals,
} from '../push/list-removals.service.js';

const MAX_SIZE = 100;

@ApiSchema({ name: 'ProviderListRemovalsRequest' })
@RejectUnknownFields()
export class CreateRemovalsDto {
  @ApiProperty({
    description: 'The 1 to 100 addresses whose entries are to be removed.',
    type: [String],
    minItems: 1,
    maxItems: MAX_SIZE,
    example: ['ada@example.com'],
  })
  @Expose()
  @ParseEach(parseEmailAddress, MAX_SIZE)
  @IsArray({ message: 'must be an array of 1 to 100 email addresses' })
  @ArrayMinSize(1, { message: 'must have at least 1 email address' })
  @ArrayMaxSize(MAX_SIZE, { message: 'must have at most 100 email addresses' })
  @IsEmail({ each: true })
  emails!: EmailAddress[];

  @ApiProperty({
    type: ConsentDto,
    description: 'The evidence that the provider may mail these addresses again.',
  })
  @Parsed((input) => (input === null ? new Invalid('must have kind and reference') : parseConsent(input)))
  consent!: Consent;

  toRemovals(scopes: readonly Scope[]): NewListRemovals {
    const { emails, consent } = this;
    return { emails, consent, mayLift: allows(scopes, 'suppressions:lift') };
  }
}

@ApiSchema({ name: 'ProviderListRemoval' })
export class ListRemovalDto {
  @ApiProperty({ enum: ['provider_list_removal'], example: 'provider_list_removal' })
  object = 'provider_list_removal' as const;

  @ApiProperty({ example: 'ada@example.com' })
  email: string;

  @ApiProperty({ ...enumOf('', REMOVAL_STATUS_MEANINGS), example: 'queued' })
  status: ListRemovalStatus;

  @ApiProperty({
    description: "The provider's names of the lists that get a request.",
    example: ['suppressions'],
  })
  lists: string[];

  constructor({ email, status, lists }: ListRemoval) {
    this.email = email;
    this.status = status;
    this.lists = lists;
  }
}

@ApiSchema({ name: 'ProviderListRemovals' })
export class ListRemovalsDto {
  @ApiProperty({ enum: ['list'], example: 'list' })
  object = 'list' as const;

  @ApiProperty({ type: [ListRemovalDto], description: 'One for each address.' })
  data: ListRemovalDto[];

  constructor(removals: ListRemoval[]) {
    this.data = removals.map((removal) => new ListRemovalDto(removal));
  }
}
