import { isObject, parseJsonText } from '../parsing/json.js';
import { notificationIn } from '../parsing/ses-notification.js';
import { header, type Message } from './message.js';

/**
 * The notification of Amazon SES that Amazon SNS sent by mail, on its own or within an envelope; undefined if there is
 * none. The text of such a mail is JSON, followed by a note of Amazon SNS.
 */
export function sesNotificationIn(message: Message): unknown {
  if (header(message, 'x-amz-sns-message-id') === '') {
    return undefined;
  }
  const json = parse(message.text.split('\n--', 1)[0]!);
  return notificationIn(json) ?? json;
}

/** Mail servers fold long lines; outside strings JSON ignores white space. */
function parse(text: string): unknown {
  try {
    const json = parseJsonText(text.replaceAll('\n', ''));
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}
