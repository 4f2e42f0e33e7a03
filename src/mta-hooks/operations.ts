import { HttpStatus, UseGuards } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import { PayloadTooLargeError } from '../http/errors/body-errors.js';
import { ValidationError } from '../http/errors/errors.js';
import { MEBIBYTE } from '../http/route.js';
import { ADA } from '../suppressions/operations.js';
import { TopicNotFoundError } from '../topics/errors.js';
import { HookRequestDto, HookResponseDto } from './hook.dto.js';
import { HookBodyGuard } from './hook-body.guard.js';

/** More than any mail server accepts by default. The JSON is larger than the mail. */
const BODY_LIMIT = 256 * MEBIBYTE;

/** Below the 30 seconds that Stalwart waits by default. */
const TIME_LIMIT_MS = 25_000;

const BODY = {
  'A recipient': {
    value: {
      context: { stage: 'rcpt' },
      envelope: { from: { address: 'shop@example.com' }, to: [{ address: ADA }] },
    },
  },
  'A mail': {
    value: {
      context: { stage: 'data' },
      envelope: {
        from: { address: 'shop@example.com' },
        to: [{ address: ADA }, { address: 'new@example.com' }],
      },
    },
  },
};

export const operations = operationsOf('Checks', {
  answerMtaHook: {
    scope: 'suppressions:check',
    summary: 'Answer an MTA Hook of Stalwart (experimental)',
    description:
      'Refuses a suppressed recipient at the stage `rcpt`. At the stage `data`, suppressed recipients are deleted, and the ' +
      'mail is refused if nobody is left. The `Content-Type` is ignored. The limit of the body is 256 MiB, and 1 MiB without ' +
      'the message. After an error, the option `tempFailOnError` of the hook decides. This operation may change with the ' +
      'draft standard. docs/mail-servers.md has the configuration.',
    route: { body: 'unread', bodyLimit: BODY_LIMIT, timeLimitMs: TIME_LIMIT_MS },
    body: { type: HookRequestDto, examples: BODY },
    decorators: [UseGuards(HookBodyGuard)],
    responds: [
      HttpStatus.OK,
      'What to do.',
      HookResponseDto,
      new HookResponseDto({
        refusal: '5.7.1 Recipient suppressed: manual (0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11)',
        deleted: [],
      }),
    ],
    errors: [
      ValidationError.withExample('context', 'must have a stage: connect, ehlo, auth, mail, rcpt, data'),
      TopicNotFoundError,
      PayloadTooLargeError,
    ],
  },
});
