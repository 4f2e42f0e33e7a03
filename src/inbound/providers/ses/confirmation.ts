import { BadSignatureError } from '../errors.js';
import type { SubscriptionConfirmation } from '../provider.js';

/** https://docs.aws.amazon.com/sns/latest/api/API_Topic.html; China has a partition and a domain of its own. */
const TOPIC_ARN = /^arn:(aws|aws-cn|aws-us-gov):sns:([a-z0-9-]{3,40}):\d{12}:[\w-]{1,256}$/;

/**
 * The request `ConfirmSubscription` for a topic of ours. The message has an address too, but where we knock is for our
 * own list of topics to say: https://docs.aws.amazon.com/sns/latest/api/API_ConfirmSubscription.html
 *
 * @throws {BadSignatureError} when the ARN or the token cannot be one
 */
export function confirmationOf(topicArn: string, token: string | undefined): SubscriptionConfirmation {
  const host = hostOf(topicArn);
  if (!host || !token) {
    throw new BadSignatureError('its topic or its token is not valid');
  }
  const query = new URLSearchParams({ Action: 'ConfirmSubscription', TopicArn: topicArn, Token: token });
  return { topicArn, token, url: `https://${host}/?${query}` };
}

/** Where Amazon SNS is in the region of a topic. Other names below its domain may be the buckets of strangers. */
export function hostOf(topicArn: string): string | undefined {
  const [, partition, region] = TOPIC_ARN.exec(topicArn) ?? [];
  const domain = partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com';
  return region && `sns.${region}.${domain}`;
}

/** @returns why this cannot be the ARN of a topic; undefined when it can */
export function problemWithTopicArn(topicArn: string): string | undefined {
  return TOPIC_ARN.test(topicArn)
    ? undefined
    : 'The ARN of a topic is written arn:aws:sns:<region>:<account>:<topic>.';
}
