import { ApiPropertyOptional } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import { parseTopicRef, type TopicRef } from '../../topics/topic-ref.js';
import { parseBoolean } from '../../validation/boolean.js';
import { OptionalParsed } from '../../validation/field.decorators.js';
import { NotWith } from '../../validation/parse.decorator.js';

export class HookPurposeDto {
  @ApiPropertyOptional({ type: String, description: 'The id or the key of the topic of all mail.' })
  @OptionalParsed(parseTopicRef)
  topic?: TopicRef;

  @ApiPropertyOptional({
    type: Boolean,
    description:
      'Whether all mail is transactional. Requires the scope `suppressions:check-transactional`. Cannot be combined with `topic`.',
  })
  @OptionalParsed(parseBoolean)
  @ValidateIf((_dto, value) => value !== false)
  @NotWith('topic')
  transactional?: boolean;
}
