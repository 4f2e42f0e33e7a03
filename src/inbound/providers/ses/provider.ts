import { EMAIL_ID_FIELD } from '../source-option.js';
import { UNREPORTED, type Provider } from '../provider.js';
import { TOPIC_ARNS, verifySes } from './verify.js';
import { readSes } from './read.js';

const LIST = { name: "Amazon SES's suppression list", path: 'Configuration > Suppression list' };

/**
 * Amazon SES through Amazon SNS: https://docs.aws.amazon.com/ses/latest/dg/monitor-sending-activity-using-notifications-sns.html
 */
export const ses = {
  name: 'ses',
  secrets: [],
  options: [TOPIC_ARNS, EMAIL_ID_FIELD],
  units: ['topic', 'list'],
  setup: [
    'In Amazon SNS, create a topic of type Standard and set its signature version to 2. This source needs its ARN.',
    'In Amazon SES, send bounce and complaint notifications, or the events of a configuration set, to the topic.',
    'In Amazon SNS, subscribe this URL to the topic with the protocol HTTPS and without raw message delivery.',
    'The subscription confirms itself. Give it a delivery policy with many retries, and a dead-letter queue.',
  ],
  suppressionLists: {
    bounce: LIST,
    complaint: LIST,
    unsubscribe: { name: "Amazon SES's contact list", path: 'the operation UpdateContact of its API' },
    manual: UNREPORTED,
  },
  verify: verifySes,
  read: readSes,
} as const satisfies Provider;
