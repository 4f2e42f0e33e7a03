import type { Provider } from '../provider.js';
import { readSes } from './read.js';
import { verifySes } from './verify.js';

/** Amazon SES through Amazon SNS: https://docs.aws.amazon.com/ses/latest/dg/monitor-sending-activity-using-notifications-sns.html */
export const ses = {
  name: 'ses',
  secrets: [],
  options: ['topicArns', 'emailIdField'],
  setup: [
    'Amazon SNS: make a topic of the type Standard, set its signature version to 2, and tell this source its ARN.',
    'Amazon SES: let the topic have the bounce and complaint notifications, or the events of a configuration set.',
    'Amazon SNS: subscribe this URL to the topic with the protocol HTTPS, without raw message delivery.',
    'The subscription confirms itself; give it a delivery policy with many retries, and a dead-letter queue.',
  ],
  verify: verifySes,
  read: readSes,
} as const satisfies Provider;
