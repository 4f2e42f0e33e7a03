import { fieldOfText, emailIdOf, uuidIn, withoutBrackets } from '../../src/inbound/parsing/report.js';
import { OWN_UUID } from '../support/deliveries.js';

const NIL = '00000000-0000-0000-0000-000000000000';
const identity = { provider: 'ses', idKind: 'messageId', id: '0100-000000' };

describe('the source id of an event', () => {
  it("is preferably the sender's own UUID", () => {
    expect(emailIdOf({ ...identity, own: OWN_UUID })).toBe(OWN_UUID);
  });

  it("is the provider's id, when that is a UUID", () => {
    expect(emailIdOf({ ...identity, own: 'order 7', id: OWN_UUID.toUpperCase() })).toBe(OWN_UUID);
  });

  it('is derived from any other id, always in the same way', () => {
    expect(emailIdOf(identity)).toBe('70defa0c-7e54-589c-a0c8-4f0836ba69c0');
    expect(emailIdOf({ ...identity, provider: 'mailgun' })).not.toBe(emailIdOf(identity));
    expect(emailIdOf({ ...identity, idKind: 'feedbackId' })).not.toBe(emailIdOf(identity));
  });

  it.each([undefined, '', NIL])('is null when the id is %j', (id) => {
    expect(emailIdOf({ ...identity, id })).toBeNull();
  });

  it('is not the nil UUID of a sender', () => {
    expect(emailIdOf({ ...identity, own: NIL, id: OWN_UUID })).toBe(OWN_UUID);
  });

  it('is derived from an id of any characters', () => {
    expect(emailIdOf({ ...identity, id: '\u{D800}\0' })).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5/);
  });
});

describe('a UUID', () => {
  it.each(['1', `${OWN_UUID}0`, OWN_UUID.replaceAll('-', ''), `{${OWN_UUID}}`])('is not %j', (text) => {
    expect(uuidIn(text)).toBeNull();
  });
});

describe('a Message-ID', () => {
  it.each([
    ['<a@b>', 'a@b'],
    [' <a@b> ', 'a@b'],
    ['a@b', 'a@b'],
    ['<a@b', '<a@b'],
    [undefined, undefined],
  ])('%j without brackets is %j', (given, expected) => {
    expect(withoutBrackets(given)).toBe(expected);
  });
});

describe('a field of free text', () => {
  it.each([
    ['{"mail":"x","n":1}', 'x'],
    ['{"mail":7}', '7'],
    ['order:7|mail:x', 'x'],
    ['x', 'x'],
    ['{"broken', '{"broken'],
    [undefined, undefined],
  ])('of %j is %j', (text, expected) => {
    expect(fieldOfText(text, 'mail')).toBe(expected);
  });
});
