import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import { ValidationError } from '../http/errors/errors.js';
import { parseTopicRef, type TopicRef } from '../topics/topic-ref.js';
import { NotWith, OptionalParsed, Parsed } from '../validation/field.decorators.js';
import { Invalid, parseBoolean } from '../validation/parsers.js';
import type { HookDecision } from './mta-hooks.service.js';

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

const STAGES = ['connect', 'ehlo', 'auth', 'mail', 'rcpt', 'data'] as const;
const MAX_RECIPIENTS = 1_000;

type Stage = (typeof STAGES)[number];

@ApiSchema({ name: 'MtaHookContext' })
class HookContextDto {
  @ApiProperty({
    type: String,
    description:
      'In any letter case. `rcpt`: the last recipient is checked. `data`: all recipients are checked. The others, such as ' +
      '`connect`, have no recipient and are accepted.',
    example: 'rcpt',
  })
  stage!: Stage;
}

@ApiSchema({ name: 'MtaHookAddress' })
class HookAddressDto {
  @ApiProperty({ example: 'ada@example.com' })
  address!: string;
}

@ApiSchema({ name: 'MtaHookEnvelope' })
class HookEnvelopeDto {
  @ApiProperty({
    type: [HookAddressDto],
    maxItems: MAX_RECIPIENTS,
    description: 'The recipients so far, at most 1,000.',
  })
  to!: HookAddressDto[];
}

/** Everything else that the mail server sends, such as the client and the message, is ignored. */
@ApiSchema({ name: 'MtaHookRequest' })
export class HookRequestDto {
  @ApiProperty({ type: HookContextDto })
  @Parsed(parseStage)
  context!: Stage;

  @ApiPropertyOptional({ type: HookEnvelopeDto, description: 'Required at the stages `rcpt` and `data`.' })
  @OptionalParsed(parseRecipients)
  envelope?: string[] | null;

  /**
   * The recipients that the stage asks about.
   *
   * @throws {ValidationError} if a stage with recipients names no recipient
   */
  toRecipients(): string[] {
    const { context: stage } = this;
    const envelope = this.envelope ?? [];
    if (stage !== 'rcpt' && stage !== 'data') {
      return [];
    }
    if (envelope.length === 0) {
      throw ValidationError.ofField('envelope', `must have a recipient in to at the stage ${stage}`);
    }
    return stage === 'rcpt' ? envelope.slice(-1) : envelope;
  }
}

function parseStage(context: unknown): Stage | Invalid {
  const given: unknown = (context as Partial<HookContextDto> | null)?.stage;
  const text = typeof given === 'string' && given.toLowerCase();
  return STAGES.find((stage) => stage === text) ?? new Invalid(`must have a stage: ${STAGES.join(', ')}`);
}

function parseRecipients(envelope: unknown): string[] | Invalid {
  const to: unknown = (envelope as Partial<HookEnvelopeDto> | null)?.to;
  if (!Array.isArray(to) || to.length > MAX_RECIPIENTS) {
    return new Invalid(`must have an array to of at most ${MAX_RECIPIENTS} recipients`);
  }
  const addresses = to.map((recipient: Partial<HookAddressDto> | null) => recipient?.address);
  return addresses.every((address) => typeof address === 'string')
    ? addresses
    : new Invalid('must have recipients with an address, which is a string');
}

const ACTIONS = ['accept', 'reject'] as const;

@ApiSchema({ name: 'MtaHookReply' })
class HookReplyDto {
  @ApiProperty({ type: 'integer', example: 550 })
  status!: number;

  @ApiProperty({
    description: 'Begins with the enhanced status code 5.7.1.',
    example: '5.7.1 Recipient suppressed: manual (0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11)',
  })
  message!: string;
}

@ApiSchema({ name: 'MtaHookModification' })
class DeletedRecipientDto {
  @ApiProperty({
    enum: ['deleteRecipient'],
    description: '`deleteRecipient`: the mail is not sent to `value`.',
  })
  type!: 'deleteRecipient';

  @ApiProperty({ example: 'ada@example.com' })
  value!: string;
}

@ApiSchema({ name: 'MtaHookResponse' })
export class HookResponseDto {
  @ApiProperty({
    enum: ACTIONS,
    description:
      '`accept`: the mail server goes on. `reject`: it refuses the recipient, or at the stage `data`, the mail.',
    example: 'reject',
  })
  action: (typeof ACTIONS)[number];

  @ApiProperty({ type: HookReplyDto, nullable: true, description: 'The SMTP reply to `reject`.' })
  response: HookReplyDto | null;

  @ApiProperty({
    type: [DeletedRecipientDto],
    description: 'At the stage `data`, the suppressed recipients of a mail that is accepted for others.',
  })
  modifications: DeletedRecipientDto[];

  /** The enhanced status code is in the message, because the documentation and the code of Stalwart disagree about its name. */
  constructor({ refusal, deleted }: HookDecision) {
    this.action = refusal === null ? 'accept' : 'reject';
    this.response = refusal === null ? null : { status: 550, message: refusal };
    this.modifications = deleted.map((value) => ({ type: 'deleteRecipient', value }));
  }
}
