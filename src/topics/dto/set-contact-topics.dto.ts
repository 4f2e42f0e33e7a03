import { Injectable, type PipeTransform } from '@nestjs/common';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ValidationError } from '../../http/errors/errors.js';
import { enumOf } from '../../validation/enum-of.js';
import { Invalid } from '../../validation/invalid.js';
import type { RequestedSubscription } from '../preferences.service.js';
import { parseTopicRef } from '../topic-ref.js';
import { SUBSCRIPTION_MEANINGS, SUBSCRIPTIONS, type Subscription } from '../topic.entity.js';

const MAX_TOPICS = 100;

@ApiSchema({ name: 'SetSubscription' })
export class SetSubscriptionDto {
  @ApiProperty({ description: 'The id or the key of the topic.', example: 'news' })
  id!: string;

  @ApiProperty({
    ...enumOf('', SUBSCRIPTION_MEANINGS),
    example: 'opt_out',
  })
  subscription!: Subscription;
}

@ApiSchema({ name: 'SetContactTopicsRequest' })
export class SetContactTopicsDto {
  @ApiProperty({ type: [SetSubscriptionDto], maxItems: MAX_TOPICS })
  topics!: SetSubscriptionDto[];
}

/** Reads `{topics: […]}`, as Resend documents it, and the bare array, as its clients send it. */
@Injectable()
export class SetContactTopicsPipe implements PipeTransform<unknown, RequestedSubscription[]> {
  /** @throws {ValidationError} */
  transform(body: unknown): RequestedSubscription[] {
    const topics = Array.isArray(body)
      ? (body as unknown[])
      : (body as { topics?: unknown } | undefined)?.topics;
    if (!Array.isArray(topics) || topics.length > MAX_TOPICS) {
      const message = `must be an array of at most ${MAX_TOPICS} objects with id and subscription`;
      throw ValidationError.ofFields([{ path: 'topics', message }]);
    }
    const read = topics.map(readChoice);
    const errors = read.flatMap((choice, index) =>
      choice instanceof Invalid ? [{ path: `topics[${index}]`, message: choice.problem }] : [],
    );
    if (errors.length > 0) {
      throw ValidationError.ofFields(errors);
    }
    return read as RequestedSubscription[];
  }
}

function readChoice(input: unknown): RequestedSubscription | Invalid {
  const { id, subscription } = (input ?? {}) as Partial<Record<string, unknown>>;
  const topic = parseTopicRef(id);
  if (topic instanceof Invalid) {
    return new Invalid('must have the id or the key of a topic in id');
  }
  const isSubscription = SUBSCRIPTIONS.includes(subscription as Subscription);
  return isSubscription
    ? { topic, subscription: subscription as Subscription }
    : new Invalid(`must have one of ${SUBSCRIPTIONS.join(', ')} in subscription`);
}
