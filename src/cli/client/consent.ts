import type { Command } from 'commander';
import { CONSENT_KINDS } from '../../ledger/evidence.js';

export interface ConsentOptions {
  consent?: string;
  reference?: string;
}

/** The consent that the options of a command state. A reference alone is wrong usage. */
export function consentOf(self: Command, { consent: kind, reference }: ConsentOptions) {
  if (reference !== undefined && !kind) {
    self.error(`error: --reference documents a consent. Add --consent <kind>: ${CONSENT_KINDS.join(', ')}`);
  }
  return kind && { kind, reference };
}
