/** The events that Resend's clients know, then our own, and when each one is sent. */
export const EVENT_TYPE_MEANINGS = {
  'suppression.added': 'an address was suppressed, as Resend sends it',
  'suppression.removed': 'an address is no longer suppressed, as Resend sends it',
  'suppression.changed': 'a suppression was added, changed, or removed, as `GET /changes` has it',
  'preference.changed': 'a recipient chose for a topic, as `GET /changes` has it',
  'import.completed': 'an import was completed',
  'import.failed': 'an import failed; some of its rows may have been applied',
  'webhook.test': 'somebody tests the webhook, which receives it in any case',
} as const;

export type EventType = keyof typeof EVENT_TYPE_MEANINGS;

export const EVENT_TYPES = Object.keys(EVENT_TYPE_MEANINGS) as EventType[];
