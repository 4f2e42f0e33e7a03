import type { TopicUnit } from '../../parsing/topic-unit.js';
import type { Bounce } from '../../policy/classify.js';
import type { Mapping } from '../../policy/mapping.js';

export interface RecipientReport extends Bounce {
  recipient: string | undefined;
  /** The address in the notification, where `recipient` is a different one. */
  reported?: string | undefined;
  mapping: Mapping;
  /** ISO 8601. */
  timestamp?: string | undefined;
  /** What the recipient left or joined. */
  units?: TopicUnit[];
}
