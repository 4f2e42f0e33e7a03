import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import { parseEmailAddress, type EmailAddress } from '../../email-address/email-address.js';
import { enumOf } from '../../http/properties.js';
import { CAUSE_MEANINGS, CAUSES, type Cause } from '../../ledger/cause.js';
import { ConsentDto, parseConsent } from '../../ledger/evidence.dto.js';
import type { Consent } from '../../ledger/evidence.js';
import {
  EMAILS,
  NotWith,
  OptionalOneOf,
  OptionalParsed,
  ParsedEach,
} from '../../validation/field.decorators.js';
import { parseId } from '../../validation/parsers.js';
import { RefuseFields, RejectMisspellings } from '../../validation/unknown-fields.js';
import type { LiftedSuppression } from '../removals.repository.js';
import type { Removal } from '../removals.service.js';
import type { SuppressionRefs } from '../suppression-ref.js';
import { NoteDto } from './add.dto.js';
import { SuppressionIdDto } from './suppression.dto.js';

const MAX_SIZE = 100;

const CAUSE = enumOf(
  'Remove only this cause. The suppression remains if it has others. Without it, all causes are removed.',
  CAUSE_MEANINGS,
);

const UNKNOWN = 'is not a field: without `cause`, all causes are removed';
const IN_URL = 'belongs in the URL, as in `?cause=bounce`: without it there, all causes are removed';

export class CauseDto {
  @ApiPropertyOptional(CAUSE)
  @OptionalOneOf(CAUSES)
  cause?: Cause;
}

@ApiSchema({ name: 'RemoveRequest' })
@RefuseFields({ cause: IN_URL, causes: IN_URL, origin: UNKNOWN, type: UNKNOWN })
export class RemoveDto extends NoteDto {
  @ApiPropertyOptional({
    type: ConsentDto,
    nullable: true,
    description:
      'The evidence that you may lift a complaint or an unsubscribe. An account that guards removals requires it, and ' +
      'the scope `suppressions:lift`. It is stored in the history.',
  })
  @OptionalParsed(parseConsent)
  @RejectMisspellings()
  consent?: Consent | null;

  /** @param mayLift - see {@link Removal.mayLift} */
  toRemoval(cause: Cause | null | undefined, mayLift: boolean): Removal {
    const { note = null, consent = null } = this;
    return { cause: cause ?? null, note, consent, mayLift };
  }
}

@ApiSchema({ name: 'BatchRemoveRequest' })
@RefuseFields({ origin: UNKNOWN, type: UNKNOWN })
export class BatchRemoveDto extends RemoveDto {
  @ApiPropertyOptional({
    description: 'The 1 to 100 addresses to remove. Give either `emails` or `ids`.',
    type: [String],
    minItems: 1,
    maxItems: MAX_SIZE,
    example: ['ada@example.com', 'grace@example.com'],
  })
  @ValidateIf(({ emails, ids }: BatchRemoveDto) => (emails ?? null) !== null || (ids ?? null) === null)
  @ParsedEach(parseEmailAddress, MAX_SIZE, { ...EMAILS, advice: ', or be left out for ids' })
  emails?: EmailAddress[] | null;

  @ApiPropertyOptional({
    description: 'The 1 to 100 ids to remove. Give either `emails` or `ids`.',
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    minItems: 1,
    maxItems: MAX_SIZE,
  })
  @ValidateIf(({ ids }: BatchRemoveDto) => (ids ?? null) !== null)
  @ParsedEach(parseId, MAX_SIZE, { one: 'id', many: 'ids' })
  @NotWith('emails')
  ids?: string[] | null;

  @ApiPropertyOptional({ ...CAUSE, nullable: true })
  @OptionalOneOf(CAUSES)
  @RejectMisspellings()
  cause?: Cause | null;

  toRefs(): SuppressionRefs {
    return this.ids ? { ids: this.ids } : { emails: this.emails ?? [] };
  }
}

@ApiSchema({ name: 'RemovedSuppression' })
export class RemovedDto extends SuppressionIdDto {
  @ApiProperty({
    description: 'Whether the suppression is gone. False if one cause was removed and others remain.',
    example: true,
  })
  deleted: boolean;

  constructor({ id, action }: LiftedSuppression) {
    super({ id });
    this.deleted = action === 'removed';
  }
}

export class BatchRemovedDto {
  @ApiProperty({
    description:
      'One element for each suppression that was removed, in the order of the request. Addresses and ids without a ' +
      'suppression are left out.',
    type: [RemovedDto],
  })
  data: RemovedDto[];

  constructor(lifted: LiftedSuppression[]) {
    this.data = lifted.map((suppression) => new RemovedDto(suppression));
  }
}
