import { Invalid } from '../../../validation/invalid.js';
import { listOption } from '../source-option.js';
import { hostOf } from './confirmation.js';

/** Amazon SNS signs for everybody's topics, so no other topic is believed, and no other subscription is confirmed. */
export const TOPIC_ARNS = listOption({
  name: 'topicArns',
  flag: '--topic-arn <arn>',
  description: 'Amazon SNS topic to accept',
  required: 'Name the topics to accept with --topic-arn.',
  parse: (text) =>
    hostOf(text) === undefined
      ? new Invalid('must have the form arn:aws:sns:<region>:<account>:<topic>')
      : text,
});
