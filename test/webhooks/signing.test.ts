import { Webhook } from 'standardwebhooks';
import { SecretsCipher } from '../../src/secrets/secrets-cipher.js';
import { signatureHeaders, SigningSecrets } from '../../src/webhooks/signing-secrets.js';

const WEBHOOK = '0198a5f6-3e2d-7c1b-8a90-4b5c6d7e8f90';
const EVENT = '0198a5f6-4a10-7d2c-9b01-5c6d7e8f9a0b';
const BODY = '{"type":"webhook.test"}';
const HOUR = 3_600_000;

describe('the signatures of events', () => {
  const secrets = new SigningSecrets(new SecretsCipher('a5'.repeat(32)));
  const now = new Date();
  const at = (hours: number) => new Date(now.getTime() + hours * HOUR);
  const signaturesAt = (stored: ReturnType<SigningSecrets['rotate']>, time: Date) =>
    signatureHeaders(EVENT, BODY, secrets.decryptAll(WEBHOOK, stored), time)['webhook-signature']!.split(' ');

  it('are those of Standard Webhooks, under both names', () => {
    const stored = [secrets.generate(WEBHOOK)];
    const secret = secrets.current(WEBHOOK, stored);
    const headers = signatureHeaders(EVENT, BODY, secrets.decryptAll(WEBHOOK, stored), now);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
    expect(new Webhook(secret).verify(BODY, headers)).toEqual(JSON.parse(BODY));
    for (const name of ['id', 'timestamp', 'signature']) {
      expect(headers[`svix-${name}`]).toBe(headers[`webhook-${name}`]);
    }
  });

  it('are made with the old secret, too, for 24 hours after a rotation', () => {
    const first = [secrets.generate(WEBHOOK)];
    const second = secrets.rotate(WEBHOOK, first, now);
    expect(signaturesAt(second, at(23))).toHaveLength(2);
    expect(signaturesAt(second, at(23))).toEqual(expect.arrayContaining(signaturesAt(first, at(23))));
    expect(signaturesAt(second, at(24))).toHaveLength(1);
    const third = secrets.rotate(WEBHOOK, second, at(12));
    expect(signaturesAt(third, at(23))).toHaveLength(3);
    expect(signaturesAt(third, at(25))).toHaveLength(2);
    expect(secrets.rotate(WEBHOOK, third, at(48))).toHaveLength(2);
    const often = Array.from({ length: 6 }).reduce<typeof first>(
      (stored) => secrets.rotate(WEBHOOK, stored, now),
      first,
    );
    expect(signaturesAt(often, now)).toHaveLength(5);
  });

  it('are made with the new secret alone if the key of the old one was lost', () => {
    const lost = [new SigningSecrets(new SecretsCipher('b6'.repeat(32))).generate(WEBHOOK)];
    expect(() => secrets.decryptAll(WEBHOOK, lost)).toThrow(
      /cannot be decrypted: .* If it is lost, replace the secret: docs.alerts\.md says how\.$/,
    );
    expect(signaturesAt(secrets.rotate(WEBHOOK, lost, now), at(1))).toHaveLength(1);
  });

  it('can still be made after a change of the key if that of a replaced secret was lost', () => {
    const lost = [new SigningSecrets(new SecretsCipher('b6'.repeat(32))).generate(WEBHOOK)];
    const rotated = secrets.rotate(WEBHOOK, lost, now);
    const changed = new SigningSecrets(new SecretsCipher('c7'.repeat(32), 'a5'.repeat(32)));
    const stored = changed.reencrypt(WEBHOOK, rotated)!;
    expect(stored).toHaveLength(1);
    expect(changed.current(WEBHOOK, stored)).toBe(secrets.current(WEBHOOK, rotated));
    expect(changed.reencrypt(WEBHOOK, stored)).toBeNull();
    expect(() => changed.reencrypt(WEBHOOK, lost)).toThrow(/cannot be decrypted/);
  });

  it('cannot be made with the secret of another webhook', () => {
    expect(() => secrets.current(EVENT, [secrets.generate(WEBHOOK)])).toThrow(/cannot be decrypted/);
  });
});
