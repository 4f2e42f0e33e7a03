import type { EmailAddress } from '../email-address/email-address.js';
import type { Cause } from '../ledger/cause.js';

export interface ExportedSuppression {
  id: string;
  email: EmailAddress;
  cause: Cause;
  /** All causes, the strongest first. */
  causes: Cause[];
  emailId: string | null;
  /** When a bounce and a manual entry end, in RFC 3339; null if never. */
  expiresAt: string | null;
  /** RFC 3339, in UTC. */
  createdAt: string;
  /** The latest note in its history. */
  note: string | null;
}
