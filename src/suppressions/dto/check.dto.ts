import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsBoolean, IsOptional, ValidateIf } from 'class-validator';
import { parseEmailAddress } from '../../email-address/email-address.js';
import { parseBoolean } from '../../validation/boolean.js';
import { Invalid } from '../../validation/invalid.js';
import { IsParsed, NotWith, Parse, ParseEach } from '../../validation/parse.decorator.js';
import { CAUSE_MEANINGS, type Cause } from '../../ledger/cause.js';
import { RULE_EFFECT_MEANINGS, type RuleEffect } from '../../rules/rule.entity.js';
import { parseAsOf, type AsOf } from '../as-of.js';
import { parseTopicRef, type TopicRef } from '../../topics/topic-ref.js';
import type { CheckedEmail, RequestedEmail } from '../checked-email.js';
import { VERDICTS, type Match, type Verdict } from '../verdict.js';
import { RejectUnknownFields } from '../../validation/reject-unknown-fields.decorator.js';
import type { WritesJson } from '../../http/response.js';
import { UnsubscribeDto } from '../../unsubscribe-links/dto/links.dto.js';
import { CheckIncludeDto } from './check-include.dto.js';
import { SuppressionDto } from './suppression.dto.js';
import { writeString, writeSuppression } from './suppression-json.js';
import { enumOf } from '../../validation/enum-of.js';

const MAX_EMAILS = 1000;
/** About 20 KB of JSON. One string of 200 KB would be copied twice. */
const ELEMENTS_PER_PIECE = 100;
const ID_EXAMPLE = '0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11';
const MATCH_TYPES = ['suppression', 'preference', 'topic_default', 'rule'] as const;

@ApiSchema({ name: 'CheckRequest' })
@RejectUnknownFields()
export class CheckDto extends CheckIncludeDto {
  @ApiProperty({
    description: 'The 1 to 1,000 addresses to check.',
    type: [String],
    minItems: 1,
    maxItems: MAX_EMAILS,
    example: ['ada@example.com', 'new@example.com', 'not an address'],
  })
  @Expose()
  @ParseEach(parseRequested, MAX_EMAILS)
  @IsArray({ message: 'must be an array of 1 to 1000 email addresses' })
  @ArrayMinSize(1, { message: 'must have at least 1 email address' })
  @ArrayMaxSize(MAX_EMAILS, { message: 'must have at most 1000 email addresses' })
  @IsParsed('isString', 'must be a string', { each: true })
  emails!: RequestedEmail[];

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description:
      'The id or the key of the topic of the email. Opt-outs of the topic, and rules that are limited to it, count only then.',
    example: 'news',
  })
  @Expose()
  @Parse((input) => (input === null ? null : parseTopicRef(input)))
  @IsOptional()
  @IsParsed('isTopicRef', 'must be the id or the key of a topic')
  topic?: TopicRef | null;

  @ApiPropertyOptional({
    type: Boolean,
    nullable: true,
    description:
      'Whether the email is one that the recipient needs, such as a password reset. Unsubscribes and opt-outs do not count ' +
      'then; bounces and complaints do. Needs the scope `suppressions:check-transactional`. Not together with `topic`.',
    example: false,
  })
  @Expose()
  @ValidateIf((_dto, value) => value === true || typeof value !== 'boolean')
  @IsOptional()
  @IsBoolean({ message: 'must be true or false' })
  @NotWith('topic')
  transactional?: boolean | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description:
      'A timestamp, or a cursor of `GET /changes`: the verdicts are those of that time. At least 10 seconds ago.',
    example: null,
  })
  @Expose()
  @Parse((input) => (input === null ? null : parseAsOf(input)))
  @IsOptional()
  @IsParsed('isAsOf', 'must be a timestamp or a cursor')
  as_of?: AsOf | null;
}

export class ExplainDto {
  @ApiPropertyOptional({
    type: Boolean,
    description: 'Whether to return all matches, not only the deciding one.',
  })
  @Expose()
  @Parse(parseBoolean)
  @IsOptional()
  @IsParsed('isBoolean', 'must be true or false')
  explain?: boolean;
}

/** An invalid address gets a verdict of its own. Only an element that is not a string fails the request. */
function parseRequested(input: unknown): RequestedEmail | Invalid {
  return typeof input === 'string'
    ? { text: input, address: parseEmailAddress(input) }
    : new Invalid('must be a string');
}

@ApiSchema({ name: 'Match' })
export class MatchDto {
  @ApiProperty({
    enum: MATCH_TYPES,
    description:
      '`suppression`: a cause of the record. `preference`: what the recipient chose for the topic. `topic_default`: the ' +
      'recipient never chose, and the topic needs an opt-in. `rule`: a rule of the account.',
    example: 'suppression',
  })
  type: Match['type'];

  @ApiProperty({
    format: 'uuid',
    description: 'The id of the record, the topic or the rule.',
    example: ID_EXAMPLE,
  })
  id: string;

  @ApiPropertyOptional({ ...enumOf('The cause of a suppression.', CAUSE_MEANINGS), example: 'manual' })
  cause?: Cause;

  @ApiPropertyOptional({
    type: String,
    format: 'uuid',
    description: 'The id of the topic of a preference, a default, or a rule that is limited to a topic.',
  })
  topic?: string;

  @ApiPropertyOptional(enumOf('The effect of a rule.', RULE_EFFECT_MEANINGS))
  effect?: RuleEffect;

  constructor(match: Match) {
    this.type = match.type;
    this.id = match.id;
    if (match.type === 'suppression') {
      this.cause = match.cause;
    } else if (match.topicId !== null) {
      this.topic = match.topicId;
    }
    if (match.type === 'rule') {
      this.effect = match.effect;
    }
  }
}

@ApiSchema({ name: 'CheckedEmail' })
export class CheckedEmailDto {
  @ApiProperty({ description: 'The address exactly as it was given.', example: 'ada@example.com' })
  email: string;

  @ApiProperty({
    enum: VERDICTS,
    description:
      '`send`: the address may be mailed. `suppressed`: it must not be mailed. `invalid`: it is not an email address.',
    example: 'suppressed',
  })
  verdict: Verdict;

  @ApiProperty({
    type: SuppressionDto,
    nullable: true,
    description: 'The record of the address, if the verdict is `suppressed` and it has one.',
  })
  suppression: SuppressionDto | null;

  @ApiProperty({ type: MatchDto, nullable: true, description: 'What decided. Null if nothing matched.' })
  decided_by: MatchDto | null;

  @ApiPropertyOptional({
    type: [MatchDto],
    description: 'All that matched, the deciding one first. Only with `explain=true`.',
  })
  matches?: MatchDto[];

  @ApiPropertyOptional({
    type: UnsubscribeDto,
    description: 'The link of this recipient. Only with `include`, and with the verdict `send`.',
  })
  unsubscribe?: UnsubscribeDto;

  constructor({ text, verdict, suppression, matches, link }: CheckedEmail, explain: boolean) {
    this.email = text;
    this.verdict = verdict;
    this.suppression = suppression && new SuppressionDto(suppression);
    this.decided_by = matches[0] ? new MatchDto(matches[0]) : null;
    if (explain) {
      this.matches = matches.map((match) => new MatchDto(match));
    }
    if (link) {
      this.unsubscribe = new UnsubscribeDto(link);
    }
  }
}

@ApiSchema({ name: 'Checked' })
export class CheckedDto implements WritesJson {
  @ApiProperty({ enum: ['list'], example: 'list' })
  object = 'list' as const;

  @ApiProperty({
    description: 'One element for each address, in the order of the request.',
    type: [CheckedEmailDto],
  })
  data: CheckedEmailDto[];

  constructor(checked: CheckedEmail[], explain = false) {
    this.data = checked.map((one) => new CheckedEmailDto(one, explain));
  }

  writeJson(): string[] {
    const pieces = [`{"object":"${this.object}","data":[`];
    for (let first = 0; first < this.data.length; first += ELEMENTS_PER_PIECE) {
      const elements = this.data.slice(first, first + ELEMENTS_PER_PIECE).map(writeCheckedEmail);
      pieces.push((first === 0 ? '' : ',') + elements.join(','));
    }
    return [...pieces, ']}'];
  }
}

function writeCheckedEmail(checked: CheckedEmailDto): string {
  const { email, verdict, suppression, decided_by, matches, unsubscribe } = checked;
  const start = `{"email":${writeString(email)},"verdict":"${verdict}","suppression":`;
  const record = suppression ? writeSuppression(suppression) : 'null';
  const all = matches ? `,"matches":${JSON.stringify(matches)}` : '';
  const link = unsubscribe ? `,"unsubscribe":${JSON.stringify(unsubscribe)}` : '';
  return `${start}${record},"decided_by":${decided_by ? JSON.stringify(decided_by) : 'null'}${all}${link}}`;
}
