import { ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsOptional, ValidateIf } from 'class-validator';
import { parseEmailAddress, type EmailAddress } from '../../email-address/email-address.js';
import { IsEmail } from '../../email-address/is-email.js';
import { IsParsed, NotWith, Parse, ParseEach } from '../../validation/parse.decorator.js';
import { RefuseFields } from '../../validation/refuse-fields.decorator.js';
import { RejectMisspellings } from '../../validation/reject-misspellings.decorator.js';
import { parseId } from '../../validation/id.js';
import { CAUSE_MEANINGS, CAUSES, type Cause } from '../../ledger/cause.js';
import { ConsentDto, parseConsent } from '../../ledger/consent.dto.js';
import type { Consent } from '../../ledger/evidence.js';
import type { Removal } from '../removals/removals.service.js';
import type { SuppressionRefs } from '../suppression-ref.js';
import { NoteDto } from './note.dto.js';
import { enumOf } from '../../validation/enum-of.js';

const MAX_SIZE = 100;

const CAUSE = enumOf(
  'Remove only this cause. The suppression remains if it has others. Without it, all causes are removed.',
  CAUSE_MEANINGS,
);

export class CauseDto {
  @ApiPropertyOptional(CAUSE)
  @Expose()
  @IsOptional()
  @IsIn(CAUSES, { message: `must be one of ${CAUSES.join(', ')}` })
  cause?: Cause;
}

@ApiSchema({ name: 'RemoveRequest' })
export class RemoveDto extends NoteDto {
  @ApiPropertyOptional({
    type: ConsentDto,
    nullable: true,
    description:
      'The evidence that you may lift a complaint or an unsubscribe. An account that guards removals requires it, and ' +
      'the scope `suppressions:lift`. It is stored in the history.',
  })
  @Expose()
  @RejectMisspellings()
  @Parse(parseConsent)
  @IsOptional()
  @IsParsed('isConsent', 'must have a kind and a reference')
  consent?: Consent | null;

  /** @param mayLift - see {@link Removal.mayLift} */
  toRemoval(cause: Cause | null | undefined, mayLift: boolean): Removal {
    const { note = null, consent = null } = this;
    return { cause: cause ?? null, note, consent, mayLift };
  }
}

@ApiSchema({ name: 'BatchRemoveRequest' })
@RefuseFields({ origin: 'is unknown: without `cause`, all causes are removed' })
export class BatchRemoveDto extends RemoveDto {
  @ApiPropertyOptional({
    description: 'The 1 to 100 addresses to remove. Give either `emails` or `ids`.',
    type: [String],
    minItems: 1,
    maxItems: MAX_SIZE,
    example: ['ada@example.com', 'grace@example.com'],
  })
  @Expose()
  @ParseEach(parseEmailAddress, MAX_SIZE)
  @ValidateIf(({ emails, ids }: BatchRemoveDto) => emails !== undefined || ids === undefined)
  @IsArray({ message: 'must be an array of 1 to 100 email addresses, or be left out for ids' })
  @ArrayMinSize(1, { message: 'must have at least 1 email address' })
  @ArrayMaxSize(MAX_SIZE, { message: 'must have at most 100 email addresses' })
  @IsEmail({ each: true })
  emails?: EmailAddress[];

  @ApiPropertyOptional({
    description: 'The 1 to 100 ids to remove. Give either `emails` or `ids`.',
    type: [String],
    minItems: 1,
    maxItems: MAX_SIZE,
  })
  @Expose()
  @ParseEach(parseId, MAX_SIZE)
  @ValidateIf(({ ids }: BatchRemoveDto) => ids !== undefined)
  @IsArray({ message: 'must be an array of 1 to 100 ids' })
  @ArrayMinSize(1, { message: 'must have at least 1 id' })
  @ArrayMaxSize(MAX_SIZE, { message: 'must have at most 100 ids' })
  @IsParsed('isId', 'must be an id', { each: true })
  @NotWith('emails')
  ids?: string[];

  @ApiPropertyOptional({ ...CAUSE, nullable: true })
  @Expose()
  @RejectMisspellings()
  @IsOptional()
  @IsIn(CAUSES, { message: `must be one of ${CAUSES.join(', ')}` })
  cause?: Cause | null;

  toRefs(): SuppressionRefs {
    return this.ids ? { ids: this.ids } : { emails: this.emails ?? [] };
  }
}
