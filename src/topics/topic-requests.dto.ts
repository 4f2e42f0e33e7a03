import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { IsOptional } from 'class-validator';
import {
  IsParsed,
  IsText,
  OneOf,
  OptionalOneOf,
  OptionalParsed,
  Parse,
  Parsed,
} from '../validation/field.decorators.js';
import { Invalid } from '../validation/parsers.js';
import { RejectMisspellings } from '../validation/unknown-fields.js';
import { parseTopicKey } from './topic-key.js';
import {
  DEFAULT_SUBSCRIPTION,
  DESCRIPTION,
  MAX_DESCRIPTION_LENGTH,
  MAX_NAME_LENGTH,
  NAME,
  parseName,
  VISIBILITY,
} from './topic.dto.js';
import { SUBSCRIPTIONS, VISIBILITIES, type Subscription, type Visibility } from './topic.entity.js';
import type { NewTopic, TopicChanges } from './topics.service.js';

@ApiSchema({ name: 'CreateTopicRequest' })
export class CreateTopicDto {
  @ApiProperty(NAME)
  @Parsed(parseName, `must have 1 to ${MAX_NAME_LENGTH} characters`)
  name!: string;

  @ApiProperty(DEFAULT_SUBSCRIPTION)
  @OneOf(SUBSCRIPTIONS)
  default_subscription!: Subscription;

  @ApiPropertyOptional({
    type: String,
    description:
      'The name of the topic in code, unique in the account. If absent, it is derived from `name`.',
    pattern: '^[a-z0-9.-]{1,64}$',
    example: 'news',
  })
  @OptionalParsed(parseTopicKey)
  @RejectMisspellings()
  key?: string | null;

  @ApiPropertyOptional(DESCRIPTION)
  @RejectMisspellings()
  @IsOptional()
  @IsText(MAX_DESCRIPTION_LENGTH)
  description?: string | null;

  @ApiPropertyOptional({ ...VISIBILITY, default: 'private' })
  @OptionalOneOf(VISIBILITIES)
  @RejectMisspellings()
  visibility?: Visibility | null;

  toNewTopic(): NewTopic {
    const { name, key, description = null, default_subscription: defaultSubscription } = this;
    const visibility = this.visibility ?? 'private';
    return { name, key: key ?? undefined, description, defaultSubscription, visibility };
  }
}

/** Refuses a field that cannot be changed. */
function Immutable(): PropertyDecorator {
  const message = 'must be left out: it cannot be changed';
  return applyDecorators(
    Expose(),
    Parse(() => new Invalid(message)),
    IsOptional(),
    IsParsed('isImmutable', message),
  );
}

@ApiSchema({ name: 'UpdateTopicRequest' })
export class UpdateTopicDto {
  @ApiPropertyOptional(NAME)
  @OptionalParsed(parseName)
  @RejectMisspellings()
  name?: string | null;

  @ApiPropertyOptional({ ...DESCRIPTION, description: 'A description for recipients. Null removes it.' })
  @RejectMisspellings()
  @IsOptional()
  @IsText(MAX_DESCRIPTION_LENGTH)
  description?: string | null;

  @ApiPropertyOptional(VISIBILITY)
  @OptionalOneOf(VISIBILITIES)
  @RejectMisspellings()
  visibility?: Visibility;

  @Immutable()
  default_subscription?: never;

  @Immutable()
  key?: never;

  toChanges(): TopicChanges {
    const { name, description, visibility } = this;
    return { name: name ?? undefined, description, visibility: visibility ?? undefined };
  }
}
