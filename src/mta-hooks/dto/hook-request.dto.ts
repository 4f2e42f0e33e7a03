import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { ValidationError } from '../../http/errors/errors.js';
import { OptionalParsed, Parsed } from '../../validation/field.decorators.js';
import { Invalid } from '../../validation/invalid.js';

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

/** Everything else that the mail server tells, such as the client and the message, is ignored. */
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
      throw ValidationError.ofFields([
        { path: 'envelope', message: `must have a recipient in to at the stage ${stage}` },
      ]);
    }
    return stage === 'rcpt' ? envelope.slice(-1) : envelope;
  }
}

function parseStage(context: unknown): Stage | Invalid {
  const text = String((context as Partial<HookContextDto> | null)?.stage).toLowerCase();
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
