import type { EmailAddress } from '../../src/email-address/email-address.js';
import type { Cause } from '../../src/ledger/cause.js';
import type { Action } from '../../src/ledger/suppression-change.entity.js';
import { recordAt } from '../../src/suppressions/checks/past-lines.js';

/** Of lines such as `added bounce 100`, where the last word is when the record's bounce and manual entry expire. */
function causesAt(at: number, ...lines: string[]): readonly Cause[] {
  const read = lines.map((line) => {
    const [action, cause, expiresAt = 'Infinity'] = line.split(' ') as [Action, Cause, string?];
    return {
      email: 'ada@example.com' as EmailAddress,
      suppressionId: '0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11',
      emailId: null,
      action,
      cause,
      expiresAt: Number(expiresAt),
    };
  });
  return recordAt(read, at)?.causes ?? [];
}

describe('the record of a time in the past', () => {
  it('has the causes that were added and not removed', () => {
    expect(causesAt(0, 'added bounce', 'strengthened complaint', 'cause_removed bounce')).toEqual([
      'complaint',
    ]);
    expect(causesAt(0, 'added bounce', 'removed bounce')).toEqual([]);
    expect(causesAt(0, 'added manual', 'removed manual', 'added bounce')).toEqual(['bounce']);
  });

  it('lacks a cause from the time when it expires, even before the ledger has a line about that', () => {
    const lines = ['added bounce 100', 'cause_added manual 100', 'strengthened complaint'];
    expect(causesAt(99, ...lines)).toEqual(['complaint', 'manual', 'bounce']);
    expect(causesAt(100, ...lines)).toEqual(['complaint']);
    expect(causesAt(200, ...lines, 'expired bounce', 'expired manual')).toEqual(['complaint']);
  });

  it('keeps a cause that was extended, or that lasts for good', () => {
    expect(causesAt(150, 'added manual 100', 'strengthened manual 200')).toEqual(['manual']);
    expect(causesAt(999, 'added manual 100', 'strengthened manual')).toEqual(['manual']);
    expect(causesAt(999, 'added manual', 'cause_added bounce')).toEqual(['manual', 'bounce']);
  });

  it('keeps the expiry when one of two causes that expire is removed', () => {
    expect(causesAt(99, 'added manual 200', 'cause_added bounce 200', 'cause_removed manual 200')).toEqual([
      'bounce',
    ]);
    expect(causesAt(100, 'added manual 200', 'cause_added bounce 200', 'cause_removed manual 200')).toEqual([
      'bounce',
    ]);
    expect(causesAt(200, 'added manual 200', 'cause_added bounce 200', 'cause_removed manual 200')).toEqual(
      [],
    );
  });
});
