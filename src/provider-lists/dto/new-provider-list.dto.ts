import { ApiProperty, ApiPropertyOptional, ApiSchema, type ApiPropertyOptions } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { Invalid, isName, parseId, parseJsonBoolean } from '../../validation/parsers.js';
import { enumOf } from '../../http/properties.js';
import { OneOf, OptionalParsed, Parsed } from '../../validation/field.decorators.js';
import { RejectUnknownFields } from '../../validation/unknown-fields.js';
import type { NewProviderList, ProviderListChanges } from '../provider-lists.service.js';
import {
  LIST_PROVIDER_MEANINGS,
  LIST_PROVIDER_NAMES,
  type ListProviderName,
} from '../providers/providers.js';
import { INTERVAL_PATTERN, parseInterval } from './provider-list.dto.js';

const DEFAULT_INTERVAL_HOURS = 24;

const NAME = { type: String, minLength: 1, maxLength: 100, example: 'SES in Ireland' };
const PULL = {
  type: Boolean,
  description: 'Whether scheduled plans change the list here. Otherwise they only report the differences.',
};
const SHARED = {
  type: Boolean,
  description: 'Whether other provider lists may have the same scope, if they are shared, too.',
};
const PUSH_ADDITIONS = {
  type: Boolean,
  description: 'Whether what is suppressed here is added at the provider: immediately, and by plans.',
};
const PUSH_REMOVALS = {
  type: Boolean,
  description:
    'Whether what is lifted here is removed at the provider, immediately and by plans: entries that this service put there, and ' +
    'bounces that somebody lifted. Complaints, unsubscribes, and manual entries need `POST …/removals`.',
};
const PUSH_UNSUBSCRIBES = {
  type: Boolean,
  description:
    "Whether unsubscribes are added at the provider, too. A provider's list also stops transactional mail, so set it for scopes " +
    'that send only marketing mail.',
};
const INTERVAL = {
  type: String,
  pattern: INTERVAL_PATTERN.source,
  description: 'How often a plan is made: from `1h` to `30d`, in hours or days.',
};
const CREDENTIALS: ApiPropertyOptions = {
  type: 'object',
  additionalProperties: { type: 'string' },
  description:
    'Stored encrypted, and never returned. docs/provider-lists.md has the fields of each provider.',
  example: { access_key_id: 'AKIDEXAMPLE', secret_access_key: 'wJalrXUtnFEMI' },
};

const SOURCE: ApiPropertyOptions = {
  type: String,
  format: 'uuid',
  nullable: true,
  description:
    'The id of the source that the provider sends its events to. It must be one of the same provider. The console leads from ' +
    'its events to this list.',
};

function parseName(input: unknown): string | Invalid {
  return typeof input === 'string' && isName(input)
    ? input
    : new Invalid(
        'must have 1 to 100 characters, not only spaces, without control characters, line breaks or invisible characters',
      );
}

function refuseChange(): Invalid {
  return new Invalid('cannot be changed: create another provider list, and delete this one');
}

function parseFields(input: unknown): Record<string, unknown> | Invalid {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
    ? (input as Record<string, unknown>)
    : new Invalid('must be an object');
}

@ApiSchema({ name: 'CreateProviderListRequest' })
@RejectUnknownFields()
export class CreateProviderListDto {
  @ApiProperty({ ...enumOf('', LIST_PROVIDER_MEANINGS), example: 'ses' })
  @OneOf(LIST_PROVIDER_NAMES)
  provider!: ListProviderName;

  @ApiProperty(NAME)
  @Parsed(parseName)
  name!: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string' },
    description:
      'What the list is limited to at the provider: `ses` {region, tenant?}, `sendgrid` {subuser?, region?}, `mailgun` ' +
      '{domain, region?}, `postmark` {stream}, `sparkpost` {subaccount?, region?}, `mandrill` {subaccount?}, all others {}. Without it, {}.',
    example: { region: 'eu-west-1' },
  })
  @OptionalParsed(parseFields)
  scope?: Record<string, unknown> | null;

  @ApiProperty(CREDENTIALS)
  @Parsed(parseFields)
  credentials!: Record<string, unknown>;

  @ApiPropertyOptional(SOURCE)
  @OptionalParsed(parseId)
  source?: string | null;

  @ApiPropertyOptional({ ...PULL, default: false })
  @OptionalParsed(parseJsonBoolean)
  pull?: boolean | null;

  @ApiPropertyOptional({ ...SHARED, default: false })
  @OptionalParsed(parseJsonBoolean)
  shared?: boolean | null;

  @ApiPropertyOptional({ ...PUSH_ADDITIONS, default: false })
  @OptionalParsed(parseJsonBoolean)
  push_additions?: boolean | null;

  @ApiPropertyOptional({ ...PUSH_REMOVALS, default: false })
  @OptionalParsed(parseJsonBoolean)
  push_removals?: boolean | null;

  @ApiPropertyOptional({ ...PUSH_UNSUBSCRIBES, default: false })
  @OptionalParsed(parseJsonBoolean)
  push_unsubscribes?: boolean | null;

  @ApiPropertyOptional({ ...INTERVAL, default: '1d' })
  @OptionalParsed(parseInterval)
  interval?: number | null;

  toNewList(): NewProviderList {
    const { provider, name, scope, credentials, pull, shared, interval } = this;
    return {
      provider,
      name,
      scope: scope ?? {},
      credentials,
      sourceId: this.source ?? null,
      pull: pull ?? false,
      shared: shared ?? false,
      pushAdditions: this.push_additions ?? false,
      pushRemovals: this.push_removals ?? false,
      pushUnsubscribes: this.push_unsubscribes ?? false,
      intervalHours: interval ?? DEFAULT_INTERVAL_HOURS,
    };
  }
}

/** A field that is absent or null stays unchanged, except that a null `source` removes the source. */
@ApiSchema({ name: 'UpdateProviderListRequest' })
@RejectUnknownFields()
export class UpdateProviderListDto {
  @Parsed(refuseChange)
  @IsOptional()
  provider?: never;

  @Parsed(refuseChange)
  @IsOptional()
  scope?: never;

  @ApiPropertyOptional(NAME)
  @OptionalParsed(parseName)
  name?: string | null;

  @ApiPropertyOptional(CREDENTIALS)
  @OptionalParsed(parseFields)
  credentials?: Record<string, unknown> | null;

  @ApiPropertyOptional({ ...SOURCE, description: `${SOURCE.description} Null removes it.` })
  @OptionalParsed(parseId)
  source?: string | null;

  @ApiPropertyOptional(PULL)
  @OptionalParsed(parseJsonBoolean)
  pull?: boolean | null;

  @ApiPropertyOptional(SHARED)
  @OptionalParsed(parseJsonBoolean)
  shared?: boolean | null;

  @ApiPropertyOptional(PUSH_ADDITIONS)
  @OptionalParsed(parseJsonBoolean)
  push_additions?: boolean | null;

  @ApiPropertyOptional(PUSH_REMOVALS)
  @OptionalParsed(parseJsonBoolean)
  push_removals?: boolean | null;

  @ApiPropertyOptional(PUSH_UNSUBSCRIBES)
  @OptionalParsed(parseJsonBoolean)
  push_unsubscribes?: boolean | null;

  @ApiPropertyOptional(INTERVAL)
  @OptionalParsed(parseInterval)
  interval?: number | null;

  toChanges(): ProviderListChanges {
    const { source: sourceId } = this;
    const changes: { [Name in keyof ProviderListChanges]: ProviderListChanges[Name] | null } = {
      name: this.name,
      credentials: this.credentials,
      pull: this.pull,
      shared: this.shared,
      pushAdditions: this.push_additions,
      pushRemovals: this.push_removals,
      pushUnsubscribes: this.push_unsubscribes,
      intervalHours: this.interval,
    };
    const given = Object.entries(changes).filter(([, value]) => (value ?? null) !== null);
    return { ...Object.fromEntries(given), ...(sourceId !== undefined && { sourceId }) };
  }
}
