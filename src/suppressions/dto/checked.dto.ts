import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { enumOf, timestamp, uuid } from '../../http/properties.js';
import type { WritesJson } from '../../http/responses/response.js';
import { CAUSE_MEANINGS, type Cause } from '../../ledger/cause.js';
import { RULE_EFFECT_MEANINGS, type RuleEffect } from '../../rules/rule.entity.js';
import { UnsubscribeDto } from '../../unsubscribe-links/links.dto.js';
import type { CheckedEmail } from '../checks/check.service.js';
import { VERDICTS, type Match, type Verdict } from '../verdict.js';
import {
  ID_EXAMPLE,
  SuppressionDto,
  writeElements,
  writeString,
  writeSuppression,
} from './suppression.dto.js';

const MATCH_TYPES = ['suppression', 'preference', 'topic_default', 'rule'] as const;

export class MatchDto {
  @ApiProperty({
    enum: MATCH_TYPES,
    description:
      '`suppression`: a cause of the suppression. `preference`: the choice of the recipient for the topic. ' +
      '`topic_default`: the recipient made no choice, and the topic requires an opt-in. `rule`: a rule of the account.',
    example: 'suppression',
  })
  type: Match['type'];

  @ApiProperty(uuid('The id of the suppression, the topic, or the rule.', ID_EXAMPLE))
  id: string;

  @ApiPropertyOptional({ ...enumOf('The cause of a suppression.', CAUSE_MEANINGS), example: 'manual' })
  cause?: Cause;

  @ApiPropertyOptional(
    timestamp(
      'When a bounce that an incident holds expires, unless somebody decides to keep it. Only for held bounces.',
    ),
  )
  held_until?: string;

  @ApiPropertyOptional(
    uuid('The id of the topic of a preference, a default, or a rule that is limited to a topic.'),
  )
  topic?: string;

  @ApiPropertyOptional(enumOf('The effect of a rule.', RULE_EFFECT_MEANINGS))
  effect?: RuleEffect;

  constructor(match: Match) {
    this.type = match.type;
    this.id = match.id;
    if (match.type === 'suppression') {
      this.cause = match.cause;
      if (match.heldUntil) {
        this.held_until = match.heldUntil;
      }
    } else if (match.topicId !== null) {
      this.topic = match.topicId;
    }
    if (match.type === 'rule') {
      this.effect = match.effect;
    }
  }
}

export class CheckedEmailDto {
  @ApiProperty({
    description: 'The address exactly as it was given, but with U+FFFD in place of unpaired surrogates.',
    example: 'ada@example.com',
  })
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

  @ApiProperty({
    type: MatchDto,
    nullable: true,
    description: 'The match that decided. Null if nothing matched.',
  })
  decided_by: MatchDto | null;

  @ApiPropertyOptional({
    type: [MatchDto],
    description: 'All matches, the deciding one first. Only with `explain=true`.',
  })
  matches?: MatchDto[];

  @ApiPropertyOptional({
    type: UnsubscribeDto,
    description: 'The unsubscribe link of this recipient. Only with `include`, and with the verdict `send`.',
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

export class CheckedDto implements WritesJson {
  @ApiProperty({ enum: ['list'], example: 'list' })
  object = 'list' as const;

  readonly #checked: readonly CheckedEmail[];
  readonly #explain: boolean;

  constructor(checked: readonly CheckedEmail[], explain = false) {
    this.#checked = checked;
    this.#explain = explain;
  }

  @ApiProperty({
    description: 'One element for each address, in the order of the request.',
    type: [CheckedEmailDto],
  })
  get data(): CheckedEmailDto[] {
    return this.#checked.map((email) => new CheckedEmailDto(email, this.#explain));
  }

  writeJson(): string[] {
    const elements = writeElements(this.#checked, (email) => writeCheckedEmail(email, this.#explain));
    return ['{"object":"list","data":[', ...elements, ']}'];
  }
}

function writeCheckedEmail(
  { text, verdict, suppression, matches, link }: CheckedEmail,
  explain: boolean,
): string {
  const record = suppression ? writeSuppression(suppression) : 'null';
  const [first] = matches;
  const decidedBy = first ? writeMatch(first) : 'null';
  const all = explain ? `,"matches":[${matches.map(writeMatch).join(',')}]` : '';
  const unsubscribe = link ? `,"unsubscribe":${JSON.stringify(new UnsubscribeDto(link))}` : '';
  return `{"email":${writeString(text)},"verdict":"${verdict}","suppression":${record},"decided_by":${decidedBy}${all}${unsubscribe}}`;
}

/** Writes the JSON of a {@link MatchDto}. Most matches are suppressions. */
function writeMatch(match: Match): string {
  return match.type === 'suppression' && !match.heldUntil
    ? `{"type":"suppression","id":"${match.id}","cause":"${match.cause}"}`
    : JSON.stringify(new MatchDto(match));
}
