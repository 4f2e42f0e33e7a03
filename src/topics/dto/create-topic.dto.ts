import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { RejectMisspellings } from '../../validation/reject-misspellings.decorator.js';
import { IsText } from '../../validation/text.decorator.js';
import { parseTopicKey } from '../topic-key.js';
import { SUBSCRIPTIONS, VISIBILITIES, type Subscription, type Visibility } from '../topic.entity.js';
import type { NewTopic } from '../topics.service.js';
import {
  DEFAULT_SUBSCRIPTION,
  DESCRIPTION,
  MAX_DESCRIPTION_LENGTH,
  MAX_NAME_LENGTH,
  NAME,
  parseName,
  VISIBILITY,
} from './topic-fields.js';
import { OneOf, OptionalOneOf, OptionalParsed, Parsed } from '../../validation/field.decorators.js';

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
