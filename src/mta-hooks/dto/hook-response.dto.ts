import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { HookDecision } from '../mta-hooks.service.js';

const ACTIONS = ['accept', 'reject'] as const;

@ApiSchema({ name: 'MtaHookReply' })
class HookReplyDto {
  @ApiProperty({ example: 550 })
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
