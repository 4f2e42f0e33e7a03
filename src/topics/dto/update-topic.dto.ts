import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { IsIn, IsOptional } from 'class-validator';
import { Invalid } from '../../validation/invalid.js';
import { IsParsed, Parse } from '../../validation/parse.decorator.js';
import { RejectMisspellings } from '../../validation/reject-misspellings.decorator.js';
import { IsText } from '../../validation/text.decorator.js';
import { VISIBILITIES, type Visibility } from '../topic.entity.js';
import type { TopicChanges } from '../topics.service.js';
import {
  DESCRIPTION,
  MAX_DESCRIPTION_LENGTH,
  MAX_NAME_LENGTH,
  NAME,
  parseName,
  VISIBILITY,
} from './topic-fields.js';

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
  @Expose()
  @RejectMisspellings()
  @Parse((input) => (input === null ? undefined : parseName(input)))
  @IsOptional()
  @IsParsed('isTopicName', `must have 1 to ${MAX_NAME_LENGTH} characters`)
  name?: string;

  @ApiPropertyOptional(DESCRIPTION)
  @RejectMisspellings()
  @IsOptional()
  @IsText(MAX_DESCRIPTION_LENGTH)
  description?: string | null;

  @ApiPropertyOptional(VISIBILITY)
  @Expose()
  @RejectMisspellings()
  @IsOptional()
  @IsIn(VISIBILITIES, { message: `must be one of ${VISIBILITIES.join(', ')}` })
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
