import type { Command } from 'commander';
import { CONSENT_KINDS } from '../../ledger/evidence.js';

export interface ConsentOptions {
  consent?: string;
  reference?: string;
}

/** The consent that the options of a command state. One of the two options without the other is wrong usage. */
export function consentOf(self: Command, { consent: kind, reference }: ConsentOptions) {
  if (reference !== undefined && !kind) {
    self.error(`error: --reference documents a consent. Add --consent <kind>: ${CONSENT_KINDS.join(', ')}`);
  }
  if (kind && !reference) {
    self.error('error: --consent needs --reference, which says where the consent is documented');
  }
  return kind && { kind, reference };
}
