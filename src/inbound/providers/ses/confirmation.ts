import { BadSignatureError } from '../errors.js';
import type { SubscriptionConfirmation } from '../provider.js';

/** https://docs.aws.amazon.com/sns/latest/api/API_Topic.html; China has a partition and a domain of its own. */
const TOPIC_ARN = /^arn:(aws|aws-cn|aws-us-gov):sns:([a-z0-9-]{3,40}):\d{12}:[\w-]{1,256}$/;

/**
 * The request `ConfirmSubscription` for a topic of the source. The address in the message is not used: the host must
 * follow from the topic. https://docs.aws.amazon.com/sns/latest/api/API_ConfirmSubscription.html
 *
 * @throws {BadSignatureError} when the ARN or the token is invalid
 */
export function confirmationOf(topicArn: string, token: string | undefined): SubscriptionConfirmation {
  const host = hostOf(topicArn);
  if (!host || !token) {
    throw new BadSignatureError('its topic or its token is not valid');
  }
  const query = new URLSearchParams({ Action: 'ConfirmSubscription', TopicArn: topicArn, Token: token });
  return { topicArn, token, url: `https://${host}/?${query}` };
}

/**
 * The host of Amazon SNS in the region of a topic; undefined if the ARN is invalid. Other hosts below Amazon's domain may
 * be buckets of strangers.
 */
export function hostOf(topicArn: string): string | undefined {
  const [, partition, region] = TOPIC_ARN.exec(topicArn) ?? [];
  const domain = partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com';
  return region && `sns.${region}.${domain}`;
}
