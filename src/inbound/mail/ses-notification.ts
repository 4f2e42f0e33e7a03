import { isObject, parseJsonText } from '../parsing/json.js';
import { notificationIn } from '../parsing/ses-notification.js';
import { header, type Message } from './message.js';

/** Amazon SNS mails a notification of Amazon SES as JSON, bare or within its envelope, and adds a note of its own. */
export function sesNotificationIn(message: Message): unknown {
  const isFromSns =
    header(message, 'x-amz-sns-message-id') !== '' || /@sns\.amazonaws\.com\b/i.test(header(message, 'from'));
  if (!isFromSns) {
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
