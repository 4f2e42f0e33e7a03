import { ApiProperty, ApiPropertyOptional, ApiSchema, type ApiPropertyOptions } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import {
  COMPLAINT_REACHES,
  INCIDENT_GUARD_MEANINGS,
  INCIDENT_GUARDS,
  REMOVAL_POLICIES,
  type Account,
  type AccountSettings,
  type ComplaintReach,
  type IncidentGuard,
  type RemovalPolicy,
} from '../accounts/account.entity.js';
import {
  formatBounceExpiry,
  formatInboxRetention,
  parseBounceExpiry,
  parseInboxRetention,
  PERIOD,
} from '../accounts/periods.js';
import { enumOf, nullableUuid } from '../http/properties.js';
import { OneOf, Parsed } from '../validation/field.decorators.js';
import { Invalid } from '../validation/parsers.js';
import { RejectUnknownFields } from '../validation/unknown-fields.js';

const REMOVAL = {
  enum: REMOVAL_POLICIES,
  description:
    '`open`: every key with `suppressions:write` may lift any cause. `guarded`: lifting a bounce requires a note; ' +
    'lifting a complaint, an unsubscribe, or the opt-out of a topic requires the scope `suppressions:lift` and a consent.',
  example: 'guarded' as const,
};
const COMPLAINT_REACH = {
  enum: COMPLAINT_REACHES,
  description:
    '`all`: a complaint stops all mail. `marketing`: a complaint does not stop transactional mail.',
  example: 'all' as const,
};
const BOUNCE_EXPIRY: ApiPropertyOptions = {
  type: 'array',
  items: { type: 'string', nullable: true, pattern: PERIOD.source },
  minItems: 1,
  nullable: true,
  description:
    'How long the first, second, … bounce of an address within two years suppresses it, if a source reports it. ' +
    'Later bounces suppress permanently, which a null at the end may state. If null, all bounces do.',
  example: ['7d', '30d', '180d'],
};

const INBOX_RETENTION: ApiPropertyOptions = {
  type: String,
  pattern: PERIOD.source,
  nullable: true,
  description:
    'How long the inbox keeps events that ask for no change, such as deliveries and soft failures. Hard bounces, complaints, ' +
    'and unsubscribes stay. If null, the setting `INBOX_RETENTION_DAYS` of the service applies.',
  example: '30d',
};

const INCIDENT_GUARD = {
  ...enumOf(
    'What to do about waves of bounces that look like the fault of a provider.',
    INCIDENT_GUARD_MEANINGS,
  ),
  example: 'alert' as const,
};
const MIN_ADDRESSES = { minimum: 10, maximum: 1_000_000 };
const MIN_SHARE = { minimum: 0.01, maximum: 1 };
const INCIDENT_MIN_ADDRESSES: ApiPropertyOptions = {
  type: 'integer',
  ...MIN_ADDRESSES,
  description: 'How many addresses must bounce within 15 minutes for an incident.',
  example: 50,
};
const INCIDENT_MIN_SHARE: ApiPropertyOptions = {
  type: Number,
  ...MIN_SHARE,
  description:
    'Which fraction of the results must be bounces for an incident; at least five times their usual fraction.',
  example: 0.1,
};

function numberWithin({ minimum, maximum }: { minimum: number; maximum: number }, isWhole: boolean) {
  const problem = `must be a ${isWhole ? 'whole ' : ''}number from ${minimum} to ${maximum}`;
  return (input: unknown): number | Invalid => {
    const number = typeof input === 'number' && (!isWhole || Number.isInteger(input)) ? input : NaN;
    return number >= minimum && number <= maximum ? number : new Invalid(problem);
  };
}

/** A setting that is omitted keeps its value. */
const IfGiven = (): PropertyDecorator => ValidateIf((_dto, value) => value !== undefined);

@ApiSchema({ name: 'ChangeAccountRequest' })
@RejectUnknownFields()
export class ChangeAccountDto {
  @ApiPropertyOptional(REMOVAL)
  @OneOf(REMOVAL_POLICIES)
  @IfGiven()
  removal?: RemovalPolicy;

  @ApiPropertyOptional(COMPLAINT_REACH)
  @OneOf(COMPLAINT_REACHES)
  @IfGiven()
  complaint_reach?: ComplaintReach;

  @ApiPropertyOptional(BOUNCE_EXPIRY)
  @Parsed(parseBounceExpiry)
  @IfGiven()
  bounce_expiry?: number[] | null;

  @ApiPropertyOptional(INBOX_RETENTION)
  @Parsed(parseInboxRetention)
  @IfGiven()
  inbox_retention?: number | null;

  @ApiPropertyOptional(INCIDENT_GUARD)
  @OneOf(INCIDENT_GUARDS)
  @IfGiven()
  incident_guard?: IncidentGuard;

  @ApiPropertyOptional(INCIDENT_MIN_ADDRESSES)
  @Parsed(numberWithin(MIN_ADDRESSES, true))
  @IfGiven()
  incident_min_addresses?: number;

  @ApiPropertyOptional(INCIDENT_MIN_SHARE)
  @Parsed(numberWithin(MIN_SHARE, false))
  @IfGiven()
  incident_min_share?: number;

  /** Undefined settings are not changed. */
  toChanges(): Partial<AccountSettings> {
    return {
      removal: this.removal,
      complaintReach: this.complaint_reach,
      bounceExpiry: this.bounce_expiry,
      inboxRetention: this.inbox_retention,
      incidentGuard: this.incident_guard,
      incidentMinAddresses: this.incident_min_addresses,
      incidentMinShare: this.incident_min_share,
    };
  }
}

export class AccountDto {
  @ApiProperty({ enum: ['account'], example: 'account' })
  object = 'account' as const;

  @ApiProperty({ example: 'acme' })
  name: string;

  @ApiProperty(REMOVAL)
  removal: RemovalPolicy;

  @ApiProperty(COMPLAINT_REACH)
  complaint_reach: ComplaintReach;

  @ApiProperty(BOUNCE_EXPIRY)
  bounce_expiry: string[] | null;

  @ApiProperty(INBOX_RETENTION)
  inbox_retention: string | null;

  @ApiProperty(INCIDENT_GUARD)
  incident_guard: IncidentGuard;

  @ApiProperty(INCIDENT_MIN_ADDRESSES)
  incident_min_addresses: number;

  @ApiProperty(INCIDENT_MIN_SHARE)
  incident_min_share: number;

  @ApiProperty(
    nullableUuid(
      'Changes whenever a rule is created, replaced, or deleted. While it stays the same, the rules differ only by ' +
        'those that have expired. Null before the first rule.',
      '0d6c3a0e-8f5b-4c59-9d2e-6a1f7b3c4d5e',
    ),
  )
  rules_version: string | null;

  @ApiProperty(
    nullableUuid(
      'Changes whenever an address is erased and its block kept. Null if the account keeps no such block: then the list has ' +
        'the address of every suppression.',
      null,
    ),
  )
  kept_blocks_version: string | null;

  @ApiProperty({ format: 'date-time', example: '2026-01-15T09:30:00.000Z' })
  created_at: string;

  constructor(account: Account) {
    const { name, removal, complaintReach, bounceExpiry, inboxRetention, rulesVersion, createdAt } = account;
    this.name = name;
    this.removal = removal;
    this.complaint_reach = complaintReach;
    this.bounce_expiry = formatBounceExpiry(bounceExpiry);
    this.inbox_retention = formatInboxRetention(inboxRetention);
    this.incident_guard = account.incidentGuard;
    this.incident_min_addresses = account.incidentMinAddresses;
    this.incident_min_share = account.incidentMinShare;
    this.rules_version = rulesVersion;
    this.kept_blocks_version = account.keptBlocksVersion;
    this.created_at = createdAt.toISOString();
  }
}
