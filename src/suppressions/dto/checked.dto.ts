import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import type { WritesJson } from '../../http/response.js';
import { UnsubscribeDto } from '../../unsubscribe-links/dto/links.dto.js';
import type { CheckedEmail } from '../checked-email.js';
import { VERDICTS, type Verdict } from '../verdict.js';
import { MatchDto } from './match.dto.js';
import { writeString, writeSuppression } from './suppression-json.js';
import { SuppressionDto } from './suppression.dto.js';

/** About 20 KB of JSON. One string of 200 KB would be copied twice. */
const ELEMENTS_PER_PIECE = 100;

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
