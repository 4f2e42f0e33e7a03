import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { IsOptional } from 'class-validator';
import { Invalid } from '../../validation/invalid.js';
import { IsParsed, Parse } from '../../validation/parse.decorator.js';
import { RejectMisspellings } from '../../validation/reject-misspellings.decorator.js';
import { IsText } from '../../validation/text.decorator.js';
import { VISIBILITIES, type Visibility } from '../topic.entity.js';
import type { TopicChanges } from '../topics.service.js';
import { DESCRIPTION, MAX_DESCRIPTION_LENGTH, NAME, parseName, VISIBILITY } from './topic-fields.js';
import { OptionalOneOf, OptionalParsed } from '../../validation/field.decorators.js';

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

  @ApiPropertyOptional(DESCRIPTION)
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
