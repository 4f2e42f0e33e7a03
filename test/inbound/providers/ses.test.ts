import { v5 as uuidv5 } from 'uuid';
import { ses } from '../../../src/inbound/providers/ses/provider.js';
import { inShort, OWN_UUID, source } from '../../support/deliveries.js';
import { confirmation, envelope } from '../../support/servers/sns.js';

const MESSAGE_ID = '000001378603177f-7a5433e7-8edb-42ae-af10-f0181f34d6ee-000000';
const NAMESPACE = '947dfe23-d495-420a-bc5a-101721e3c797';
const SOURCE = source();

const read = (message: unknown, options = {}) => ses.read(envelope(message), source({}, options));

function bounceOf(bounceType: string, bounceSubType: string, ...bouncedRecipients: unknown[]) {
  return {
    notificationType: 'Bounce',
    mail: { messageId: MESSAGE_ID, destination: ['first@example.com', 'second@example.com'] },
    bounce: { bounceType, bounceSubType, bouncedRecipients, timestamp: '2026-11-20T09:58:00.000Z' },
  };
}

function complaintOf(complaint: Record<string, unknown>, ...recipients: string[]) {
  const complainedRecipients = recipients.map((emailAddress) => ({ emailAddress }));
  return {
    notificationType: 'Complaint',
    mail: { messageId: MESSAGE_ID, destination: ['first@example.com', 'second@example.com'] },
    complaint: { complainedRecipients, ...complaint },
  };
}

describe('a bounce of Amazon SES', () => {
  it('is about the recipients that bounced, not about those that were mailed', () => {
    const message = bounceOf(
      'Permanent',
      'General',
      {
        emailAddress: 'second@example.com',
        action: 'failed',
        status: '5.1.1',
        diagnosticCode: 'smtp; 550 5.1.1',
      },
      { emailAddress: 'third@example.com', action: 'delayed', status: '4.0.0' },
      { emailAddress: 'not an address', action: 'failed', status: '5.1.1' },
      { emailAddress: 'fourth@example.com', status: '4.1.1', diagnosticCode: 'smtp; 450 4.1.1 user unknown' },
    );
    expect(inShort(read(message))).toEqual([
      'second@example.com bounce suppress',
      'third@example.com bounce watch',
      'null bounce none',
      'fourth@example.com bounce watch',
    ]);
  });

  it('has a key for each recipient, and a source id from the id of the message', () => {
    const message = bounceOf(
      'Permanent',
      'NoEmail',
      { emailAddress: 'a@example.com', status: '5.1.1' },
      {
        emailAddress: 'b@example.com',
        status: '5.1.1',
      },
    );
    const events = read(message);
    expect(events.map(({ key }) => key)).toEqual([
      '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324 a@example.com',
      '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324 b@example.com',
    ]);
    expect(events[0]).toMatchObject({
      emailId: uuidv5(`ses\0messageId\0${MESSAGE_ID}`, NAMESPACE),
      rawMessageId: MESSAGE_ID,
      status: '5.1.1',
      occurredAt: new Date('2026-11-20T09:58:00.000Z'),
    });
  });

  it.each([
    ['Permanent', 'NoEmail', '5.1.1', 'suppress'],
    ['Permanent', 'NoEmail', '5.7.1', 'none'],
    ['Permanent', 'Suppressed', '5.1.1', 'suppress-if-absent'],
    ['Permanent', 'OnAccountSuppressionList', undefined, 'suppress-if-absent'],
    ['Permanent', 'OnTenantSuppressionList', undefined, 'suppress-if-absent'],
    ['Permanent', 'EmailValidationSuppressed', '5.1.1', 'watch'],
    ['Permanent', 'UnsubscribedRecipient', '5.1.1', 'none'],
    ['Permanent', 'NewIdea', '5.1.1', 'none'],
    ['Transient', 'MailboxFull', '4.2.2', 'watch'],
    ['Transient', 'CustomTimeoutExceeded', '4.4.7', 'watch'],
    ['Transient', 'CustomTimeoutExceeded', undefined, 'none'],
    ['Transient', 'General', '5.4.4', 'suppress'],
    ['Transient', 'General', '5.1.1', 'watch'],
    ['Transient', 'MailboxFull', undefined, 'watch'],
    ['Transient', 'ContentRejected', '5.1.1', 'none'],
    ['Transient', 'ContentRejected', '4.6.0', 'none'],
    ['Undetermined', 'Undetermined', '5.1.1', 'suppress'],
    ['Undetermined', 'Undetermined', '4.2.2', 'watch'],
  ])('%s/%s with the status %s has the effect %s', (type, subType, status, effect) => {
    const message = bounceOf(type, subType, { emailAddress: 'a@example.com', status });
    expect(read(message)).toMatchObject([{ recipient: 'a@example.com', effect }]);
  });

  it('is an out-of-office reply if it is general, and no mail server said anything', () => {
    const message = bounceOf('Transient', 'General', { emailAddress: 'a@example.com' });
    expect(inShort(read(message))).toEqual(['a@example.com unknown none']);
  });

  it('about an address that the mail was forwarded to is about the one that was mailed', () => {
    const message = bounceOf('Permanent', 'General', {
      emailAddress: 'new@elsewhere.example',
      status: '5.1.1',
    });
    message.mail.destination = ['Old <old@example.com>'];
    expect(inShort(read(message))).toEqual(['old@example.com bounce suppress']);
  });

  it("has the sender's own UUID from a tag or a header", () => {
    const message = bounceOf('Permanent', 'General', { emailAddress: 'a@example.com' });
    const tagged = { ...message, mail: { ...message.mail, tags: { mail: [OWN_UUID] } } };
    const headed = { ...message, mail: { ...message.mail, headers: [{ name: 'X-Mail', value: OWN_UUID }] } };
    expect(read(tagged, { emailIdField: 'mail' })[0]!.emailId).toBe(OWN_UUID);
    expect(read(headed, { emailIdField: 'x-mail' })[0]!.emailId).toBe(OWN_UUID);
    expect(read(message, { emailIdField: 'mail' })[0]!.emailId).toBe(read(message)[0]!.emailId);
  });

  it('is read under the name that event publishing gives it', () => {
    const { notificationType, ...message } = bounceOf('Permanent', 'NoEmail', {
      emailAddress: 'a@example.com',
    });
    expect(inShort(read({ eventType: notificationType, ...message }))).toEqual([
      'a@example.com bounce suppress',
    ]);
  });
});

describe('another notification of Amazon SES', () => {
  it.each<[string | null | undefined, string]>([
    [undefined, 'complaint suppress'],
    [null, 'complaint suppress'],
    ['abuse', 'complaint suppress'],
    ['not-spam', 'unknown none'],
    ['auth-failure', 'unknown none'],
    ['virus', 'unknown none'],
    ['new-idea', 'unknown none'],
  ])('with the feedback type %s is %s', (complaintFeedbackType, expected) => {
    const message = complaintOf({ complaintFeedbackType }, 'second@example.com');
    expect(inShort(read(message))).toEqual([`second@example.com ${expected}`]);
  });

  it('that does not show who complained suppresses nobody', () => {
    const message = complaintOf({}, 'first@example.com', 'second@example.com');
    expect(inShort(read(message))).toEqual([
      'first@example.com complaint watch',
      'second@example.com complaint watch',
    ]);
    expect(inShort(read(complaintOf({}, 'a@example.com', 'A@example.com')))[0]).toMatch(/complaint suppress/);
  });

  it.each(['OnAccountSuppressionList', 'OnTenantSuppressionList'])(
    'of a complaint that Amazon already knew (%s) is added if absent',
    (complaintSubType) => {
      const message = complaintOf({ complaintSubType }, 'second@example.com');
      expect(inShort(read(message))).toEqual(['second@example.com complaint suppress-if-absent']);
    },
  );

  it('of a delivery is a success for those that it names', () => {
    const delivered = { recipients: ['second@example.com'], timestamp: '2026-11-20T09:58:00.000Z' };
    const mail = { destination: ['first@example.com', 'second@example.com'] };
    const message = { eventType: 'Delivery', mail, delivery: delivered };
    expect(inShort(read(message))).toEqual(['second@example.com delivered success']);
  });

  it.each([
    [false, true, 'unsubscribe suppress'],
    [true, false, 'resubscribe lift'],
    [false, false, 'unknown none'],
  ])('of a subscription, from unsubscribed %s to %s, is %s', (before, now, expected) => {
    const subscription = {
      oldTopicPreferences: { unsubscribeAll: before },
      newTopicPreferences: { unsubscribeAll: now },
    };
    const message = { eventType: 'Subscription', mail: { destination: ['a@example.com'] }, subscription };
    expect(inShort(read(message))).toEqual([`a@example.com ${expected}`]);
  });

  const topics = (unsubscribeAll: boolean, statuses: Record<string, string>) => ({
    unsubscribeAll,
    topicSubscriptionStatus: Object.entries(statuses).map(([topicName, subscriptionStatus]) => ({
      topicName,
      subscriptionStatus,
    })),
  });
  const change = (oldTopicPreferences: object, newTopicPreferences: object) =>
    read({
      eventType: 'Subscription',
      mail: { destination: ['a@example.com'] },
      subscription: { contactList: 'everybody', oldTopicPreferences, newTopicPreferences },
    });

  it('of a subscription to single topics is about each topic that changed', () => {
    const events = change(
      topics(false, { News: 'OptIn', Offers: 'OptOut', Events: 'OptIn' }),
      topics(false, { News: 'OptOut', Offers: 'OptIn', Events: 'OptIn' }),
    );
    expect(inShort(events)).toEqual([
      'a@example.com unsubscribe opt-out',
      'a@example.com resubscribe opt-in',
    ]);
    expect(events.map(({ units }) => units)).toEqual([
      [{ kind: 'topic', name: 'News' }],
      [{ kind: 'topic', name: 'Offers' }],
    ]);
    expect(new Set(events.map(({ key }) => key)).size).toBe(2);
  });

  it('of the end of an unsubscribe from all topics is also about each topic, since only now it matters', () => {
    const statuses = { News: 'OptIn', Offers: 'OptOut' };
    const events = change(topics(true, statuses), topics(false, statuses));
    expect(inShort(events)).toEqual([
      'a@example.com resubscribe lift',
      'a@example.com resubscribe opt-in',
      'a@example.com unsubscribe opt-out',
    ]);
    expect(events.map(({ units }) => units)).toEqual([
      [{ kind: 'list', name: 'everybody' }],
      [{ kind: 'topic', name: 'News' }],
      [{ kind: 'topic', name: 'Offers' }],
    ]);
    expect(new Set(events.map(({ key }) => key)).size).toBe(3);
  });

  it('of an unsubscribe from all topics is not about single ones', () => {
    const events = change(topics(false, { News: 'OptIn' }), topics(true, { News: 'OptOut' }));
    expect(inShort(events)).toEqual(['a@example.com unsubscribe suppress']);
  });

  it('of a subscription names nobody if the mail had several recipients', () => {
    const subscription = { newTopicPreferences: { unsubscribeAll: true } };
    const mail = { destination: ['a@example.com', 'b@example.com'] };
    expect(inShort(read({ eventType: 'Subscription', mail, subscription }))).toEqual([
      'null unsubscribe none',
    ]);
  });

  it.each([
    'Successfully validated SNS topic for Amazon SES event publishing.',
    '[]',
    '{"eventType":"Open"}',
    '',
  ])('does nothing as %j', (message) => {
    expect(inShort(read(message))).toEqual(['null unknown none']);
  });

  it('of a changed subscription does nothing', () => {
    expect(inShort(ses.read(confirmation(), SOURCE))).toEqual(['null unknown none']);
  });

  it.each([null, [], {}, 'text', { Type: 1 }])('is malformed as %j', (body) => {
    expect(() => ses.read(body, SOURCE)).toThrow(expect.objectContaining({ code: 'malformed_body' }));
  });
});
