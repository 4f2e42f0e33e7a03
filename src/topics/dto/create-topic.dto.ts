import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { IsIn, IsOptional } from 'class-validator';
import { IsParsed, Parse } from '../../validation/parse.decorator.js';
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

@ApiSchema({ name: 'CreateTopicRequest' })
export class CreateTopicDto {
  @ApiProperty(NAME)
  @Expose()
  @Parse(parseName)
  @IsParsed('isTopicName', `must have 1 to ${MAX_NAME_LENGTH} characters`)
  name!: string;

  @ApiProperty(DEFAULT_SUBSCRIPTION)
  @Expose()
  @IsIn(SUBSCRIPTIONS, { message: `must be one of ${SUBSCRIPTIONS.join(', ')}` })
  default_subscription!: Subscription;

  @ApiPropertyOptional({
    type: String,
    description:
      'The name of the topic in code, unique in the account. If absent, it is derived from `name`.',
    pattern: '^[a-z0-9.-]{1,64}$',
    example: 'news',
  })
  @Expose()
  @RejectMisspellings()
  @Parse(parseTopicKey)
  @IsOptional()
  @IsParsed('isTopicKey', 'must be a key')
  key?: string | null;

  @ApiPropertyOptional(DESCRIPTION)
  @RejectMisspellings()
  @IsOptional()
  @IsText(MAX_DESCRIPTION_LENGTH)
  description?: string | null;

  @ApiPropertyOptional({ ...VISIBILITY, default: 'private' })
  @Expose()
  @RejectMisspellings()
  @IsIn(VISIBILITIES, { message: `must be one of ${VISIBILITIES.join(', ')}` })
  visibility: Visibility = 'private';

  toNewTopic(): NewTopic {
    const { name, key, description = null, default_subscription: defaultSubscription, visibility } = this;
    return { name, key: key ?? undefined, description, defaultSubscription, visibility };
  }
}
