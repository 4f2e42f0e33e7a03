import { classify } from '../../../src/inbound/policy/classify.js';
import * as wording from '../../../src/inbound/policy/wording.js';
import { refusalText } from '../../../src/mta-hooks/refusal-text.js';

const reasonFor = (diagnostic: string) => classify({ diagnostic }).reason;
const effectOf = (diagnostic: string) => classify({ diagnostic }).effect;

describe('the mailbox does not exist', () => {
  it.each([
    ['550 5.1.1 <ada@example.com>: Recipient address rejected: User unknown in virtual mailbox table'],
    ['550 5.1.1 <ada@example.com>: Email address could not be found, or was misspelled (G8)'],
    ['550-5.1.1 The email account that you tried to reach does not exist. https://support.example - gsmtp'],
    ['550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient ada@example.com not found by SMTP address lookup'],
    ['550 Requested action not taken: mailbox unavailable'],
    ['550 Mailbox not found. http://service.mail.example/help.html'],
    [
      '550 Message was not accepted -- invalid mailbox. Local mailbox ada@example.com is unavailable: user not found',
    ],
    ['550 5.7.1 No such user!'],
    ["554 delivery error: dd This user doesn't have a yahoo.example account (ada@example.com) [0]"],
    ['550 5.1.1 Invalid Recipient - https://community.mimecast.example/docs/DOC-1369#550'],
    ['550 no mailbox by that name is currently available'],
    ['550 #5.1.0 Address rejected: unknown user ada@example.com'],
    ['sorry, no mailbox here by that name (#5.1.1 - chkuser)'],
    ['550 <ada@example.com> User not exist'],
    ['550 The user does not exits'],
    ["550 Addressee dosn't exist"],
    ['550 Unkown user'],
    ['550 no such ID'],
    ['550 No such login ID here'],
    ['550 5.1.1 no mail-box here by this name'],
    ['550 Undeliverable address'],
    ['550 5.1.1 <ada@example.com>: Recipient address rejected: undeliverable address: unknown user: "ada"'],
    ['550 the recipient cannot be verified'],
    ['550 Recipient address could not be verified'],
    ['550 address unknown:ada@example.com'],
    ['host mx.example.com[192.0.2.1] said: 550 user unknown'],
    ['user not found:ada@example.com'],
    ['not found:ada@example.com'],
    ['550 not found: <ada@example.com>'],
    ['ada@example.com: unknown'],
    ['<ada@example.com>: does not exist'],
    ['ada@example.com:user not exist'],
    ['ada@example.com...User unknown'],
    ['550 ada@example.com(no such user)'],
    ['550 no-reply;<ada@example.com>,Mailbox not found'],
    ["550 Can't find user: unknown recipient"],
    ['550 there is no one by that name here: ada: nobody here by that name'],
    ['550 El usuario no existe'],
    ['550 Пользователь не найден'],
    ['550 unknown local-part "ada" in domain "example.com"'],
    ['550 This email does not exist'],
    ['550 Unknown email'],
    ["550 The e-mail you are trying to reach doesn't exist"],
    ['550 invalid recipient email'],
    ['550 email ada@example.com is unknown'],
    ['550 address not present in directory'],
    ['550 mailbox not present'],
    ['550 ada is not an active address at this host'],
    ['550 The address you are sending to does not exist'],
    ['550 The mailbox on this server does not exist'],
    ['550 The email ID does not exist'],
    ['550 Email not found in our system'],
    ['550 user unknown at mail.harvest.example'],
    ['550 user unknown, message returned to originator'],
  ])('%s', (diagnostic) => {
    expect(effectOf(diagnostic)).toBe('suppress');
  });

  it.each([
    ['550 5.1.1 Sender address rejected: undeliverable address: user unknown'],
    ['550 5.1.1 undeliverable address: connect to mx.example.com[192.0.2.1]:25: Connection refused'],
    ['550 Verification failed: the sender cannot be verified'],
    ['550 Return address cannot be verified'],
    ['550 5.7.1 The certificate of the user cannot be verified'],
    ['450 4.1.1 recipient cannot be verified'],
    ['451 4.3.0 user unknown: lookup in database failed'],
    ['554 5.6.0 No such message ID'],
    ['550 return path not found:ada@example.com'],
    ['550 Email rejected: Message-ID header not present'],
    ['550 Email contains invalid characters'],
    [
      'host mx.example.com[192.0.2.1] said: 550 Subject contains invalid characters (in reply to end of DATA command)',
    ],
    ['host mx.example.com[192.0.2.1] said: 554 Unknown error'],
    [
      'SMTP error from remote mail server after end of data: host mx.example.com [192.0.2.1]: 550 invalid content',
    ],
    ['554 Email contains an invalid attachment'],
    ['550 invalid characters in email'],
    ['550 Email from unknown source rejected'],
    ['550 Invalid email content'],
    ['550 unknown email error'],
    ['550 Your email is not recognized'],
    ['550 The email you sent is invalid'],
    ['550 You are not a subscriber to this list'],
    ['550 Email not accepted, invalid List-Unsubscribe'],
    ['550 Email rejected, the sending domain is not found'],
    ['550 Recipient lookup failed: LDAP server not found'],
    ['550 Recipient lookup error: database not found'],
    ['550 Recipient verification failed: server not found'],
    ['554 Email scanning error: file not found'],
    ['532 5.3.2 STOREDRV.Deliver; Missing or bad mailbox Database property'],
    ['550 Directory harvest attack detected: unknown users'],
    ['550 Connection dropped due to bad recipients ratio'],
    ['554 excess number of invalid recipients'],
    ['550 sender unknown:ada@example.com'],
    ['550 This message to ada@example.com:quota exceeded'],
  ])('does not follow from: %s', (diagnostic) => {
    expect(effectOf(diagnostic)).not.toBe('suppress');
  });
});

describe('the mailbox is closed', () => {
  it.each([
    ['550 5.2.1 The email account that you tried to reach is disabled.'],
    ['554 5.7.1 This account is not active'],
    ['550 mailbox not active'],
    ['550 ada@example.com account not activated'],
    ['550 The user is not active'],
    ['550 User not activated'],
    ['550 This account has been deactivated'],
    ['550 5.2.1 Mailbox disabled for this recipient'],
    ['550 5.1.1 <ada@example.com>: account inactive'],
    ['550 account has been deleted'],
    ['550 this mailbox is no longer in use'],
    ['554 the account has expired'],
    ['550 Message rejected: the mailbox has been terminated'],
    ['550 5.2.1 This mailbox has been blocked due to inactivity (#5.2.1)'],
    ['550 5.5.0 Boite du destinataire archivee. Archived recipient. OFR_420 [420]'],
    ['552 1 Due to extended inactivity new mail is not currently being accepted for this mailbox.'],
  ])('%s', (diagnostic) => {
    expect(effectOf(diagnostic)).toBe('suppress');
  });

  it.each([
    ['450 4.2.1 mailbox disabled'],
    ['554 email delivery time has expired'],
    ['450 this account is not active, try later'],
    ['550 The account is not yet activated'],
    ['525 5.7.13 User account disabled'],
    ['550 account disabled temporarly for exceeding receiving limits'],
    ['550 5.7.1 Your account is not active'],
    ['552 account disabled: over quota'],
    ['550 the mailbox is locked'],
    ['550 Plain text email is no longer accepted by this host'],
    ['554 Connection timed out due to extended inactivity'],
    ['554 Connection blocked due to inactivity'],
    ['550 Mailbox not activated yet'],
  ])('does not follow from: %s', (diagnostic) => {
    expect(effectOf(diagnostic)).not.toBe('suppress');
  });
});

describe('the domain or the server never accepts mail', () => {
  it.each([
    [
      '556 5.1.10 <ada@example.com>: Recipient address rejected: Domain example.com does not accept mail (nullMX)',
    ],
    ['550 5.1.0 Domain example.com does not accept mail'],
    ['550 The domain does not accept email.'],
    ["554 this host doesn't accept mail"],
    ['550 this domain never receives any email'],
    ['550 5.1.1 This address will not accept mail anymore'],
    ['550 this server does not accept incoming messages at all'],
    ['521 5.3.2 mx.example.com does not accept mail (in reply to RCPT TO command)'],
    ['521 mx.example.com'],
    ['521 Host closed: see RFC 7504'],
    ['556 gone'],
    ['host mx.example.com[192.0.2.1] said: 556 5.1.10 not here'],
    ['all relevant MX records point to non-existent hosts or an MX record indicated no SMTP service'],
    ['550 5.1.10 ada@example.com: the domain has a null MX record'],
  ])('%s', (diagnostic) => {
    expect(effectOf(diagnostic)).toBe('suppress');
  });

  it.each([
    ['550 This server does not accept mail from your network'],
    ['550 example.com does not accept mail from <bounce@sender.example>'],
    ['550 <ada@example.com> does not accept mail from outside the organization'],
    ['550 this user does not accept mail from unknown addresses'],
    ['550 recipient does not receive mail from invalid users'],
    ['550 This mailbox does not accept mail in HTML'],
    ['550 The recipient does not accept messages in this format'],
    ['552 This domain does not accept mail over 10 MB'],
    ['552 this account does not accept messages larger than 5 MB'],
    ['550 host does not accept e-mail with attachments'],
    ['550 we will not accept mail without a reverse entry'],
    ['550 the server will not accept mail until you register'],
    ['550 this address only accepts mail from its members'],
    ['550 does not accept mail, unless it is signed'],
    ['550 5.7.1 This domain does not accept mail'],
    ['550 5.7.0 <ada@example.com> does not accept mail'],
    ['450 4.3.2 this server does not accept mail'],
    ['451 the domain does not accept mail'],
    ['550 This server does not accept mail at the moment'],
    ['550 5.7.27 The sender address has a null MX'],
    ['550 5.1.8 Domain of your return address does not accept mail'],
    // The first lines of every refusal of a connection by GMX and web.de.
    ['554-gmx.net (mxgmx104) Nemesis ESMTP Service not available 554-No SMTP service'],
    ['521 5.2.1 AOL will not accept delivery of this message'],
    ['521 5.7.1 blocked'],
    ['421 4.3.2 system not accepting network messages'],
    ['gave up after 521 seconds'],
  ])('does not follow from: %s', (diagnostic) => {
    expect(effectOf(diagnostic)).not.toBe('suppress');
  });
});

describe('the mailbox is full', () => {
  it.each([
    ['552 5.2.2 The email account that you tried to reach is over quota'],
    ['552-5.2.2 The recipient is over the allowed quota'],
    ['550 user is over the allowed quota'],
    ['552 message exceeds the allowed size of the mailbox'],
    ["552 exceeds the maximum allowed size of the recipient's mailbox"],
    ['552 too many messages in the mailbox'],
    ['452 Too many messages in this mailbox'],
    ['552 there are too many mails stored in the inbox'],
    ['550 Mailbox has exceeded its limit'],
    ['554 5.2.2 mailbox full; STOREDRV.Deliver.Exception:QuotaExceededException'],
    ['422 the recipient has exceeded the storage limit'],
    ['550 Quota has been exceeded'],
    ['550 5.1.1 user mailbox exceeds allowed size'],
    ['552 disk full'],
    ['550 Das Postfach ist voll'],
    ['550 the recipient has reached disk quota'],
    ['554 maildir delivery failed: userdisk quota exceeded'],
    ["550 This user's account has reached its storage limit and cannot receive mail"],
    ['550 The user does not have enough space'],
    ["550 the user's space has been used up"],
  ])('%s', (diagnostic) => {
    expect(reasonFor(diagnostic)).toBe('the mailbox is full');
  });

  it.each([
    ['451 too many messages in this session'],
    ['550 too many messages from your account'],
    ['552 message size exceeds maximum'],
    ['550 user unknown'],
  ])('does not follow from: %s', (diagnostic) => {
    expect(reasonFor(diagnostic)).not.toBe('the mailbox is full');
  });
});

describe('the receiving system failed', () => {
  it.each([['554 Server configuration error'], ['550 internal server error'], ['550 Mail system full']])(
    '%s',
    (diagnostic) => {
      expect(reasonFor(diagnostic)).toBe('the receiving system failed');
    },
  );
});

describe('a domain whose mail server was not found', () => {
  it.each([
    ['unable to get mx info: failed to get IPs from PTR record: lookup <nil>: unrecognized address'],
    ['550 unable to get mx info: failed to get IPs from PTR record: lookup <nil>: unrecognized address'],
  ])('is a temporary failure, as SendGrid calls it: %s', (diagnostic) => {
    expect(reasonFor(diagnostic)).toBe('the failure is temporary');
  });

  it('is not that of the recipient if a server looked up the sender', () => {
    const diagnostic = '550 failed to get IPs from PTR record: lookup 1.2.0.192.in-addr.arpa: no such host';
    expect(reasonFor(diagnostic)).toBe('the name of the sending server was refused');
  });
});

describe('too long', () => {
  it.each([
    ["I'm not going to try again; this message has been in the queue too long."],
    ['message was in the queue for too long'],
    ['This message has been queued too long'],
    ['mail in queue too long'],
    ['The message stayed too long in the queue'],
    ['the message has been queued for too long'],
    ['Message has been undelivered for too long; too long in our queue'],
    ['554 giving up: too long in mail queue'],
  ])('in the queue is a timeout: %s', (diagnostic) => {
    expect(reasonFor(diagnostic)).toBe('the server did not accept the mail in time');
  });

  it.each([
    ['500 Line too long'],
    ['550 Maximum line length exceeded (see RFC 5322 2.1.1)'],
    ['550 message is too long'],
    ['552 Message header too long'],
    ['554 The subject is too long'],
    ['550 maximum allowed line length is 998 octets: header line too long'],
    ['552 message too large'],
    ['552 5.3.4 Message too big'],
    ['550 the body was too long'],
  ])('of a message is its size: %s', (diagnostic) => {
    expect(reasonFor(diagnostic)).toBe('the message is too large');
  });
});

describe("the sender's side", () => {
  it.each([
    ['550 unknown host'],
    ['550 Unknown host mail.sender.example'],
    ['550 Access from unknown client host'],
    ['450 4.7.1 Client host rejected: cannot find your hostname'],
    ['451 4.7.1 Greylisting in action, please try again later'],
    ['504 5.5.2 <mail>: Helo command rejected: need fully-qualified hostname'],
    ['550 No MX record for your return address'],
    ['550 5.1.2 cannot find the MX record of your return address'],
    ['550 your domain has no MX'],
    ['550 The domain in your return-path does not exist: invalid return address'],
    ['553 sorry, your envelope sender domain must exist (#5.7.1)'],
    ['550 Sender unknown'],
    ['550 5.7.1 domain of the envelope from address not found'],
    ['550 DNS records of your server not found'],
    ['535 user unknown'],
    ['535 5.7.8 user unknown'],
    ['SMTP error from remote mail server after AUTH: 535 no such user'],
    ['534 5.7.9 user not found'],
    ['538 no such user'],
    ['550 5.7.8 unknown user'],
    ['550 5.7.25 unknown domain'],
    ['550 5.7.14 account not found'],
    [
      '421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1',
    ],
    ['451 4.7.500 Server busy. Please try again later from [192.0.2.1]. (S77719)'],
    ['421 4.7.0 Try again later, closing connection. (MAIL)'],
    ['421 4.7.0 [GL01] Message from (192.0.2.1) temporarily deferred - 4.16.50'],
    ['421 [TSS09] All messages from 192.0.2.1 will be permanently deferred; Retrying will NOT succeed'],
    [
      '421 RP-001 Unfortunately, some messages from 192.0.2.1 were not sent. Please try again. We have limits for how many messages can be sent per hour and per day.',
    ],
    [
      '421 RP-003 The mail server IP connecting to Outlook.com has exceeded the connection limit allowed on this IP address.',
    ],
    ['550 Invalid address in the From field'],
    ['550 Reply-To address does not exist'],
    ['550 originator address not found'],
    // GMX and web.de, about the domain of the sender.
    ['550-Requested action not taken: mailbox unavailable 550 invalid DNS MX or A/AAAA resource record'],
    // T-Online.
    [
      '554 IP=192.0.2.1 - A problem occurred. (Ask your postmaster for help or to contact tosa@rx.t-online.de to clarify.) (BL)',
    ],
    // NetEase.
    ['554 DT:SPM 163 smtp10,D8CowABnbnUuSmVh--.12S2, please see http://mail.163.com/help/help_spam_16.htm'],
    ['554 MI:SPB 163 mx38,please see http://mail.163.com/help/help_spam_16.htm?ip=192.0.2.1'],
    ['552 Illegal Attachment'],
    // QQ.
    ['550 Mail content denied. https://service.mail.qq.com/detail/122/171'],
    ['550 Domain frequency limited [a1b2 IP: 192.0.2.1]. https://service.mail.qq.com/detail/122/173'],
    ['550 Sender frequency limited. https://service.mail.qq.com/detail/122/174'],
    ['550 Suspected bounce attacks'],
    ['550 Mail is rejected by recipients'],
    ['550 Mailbox unavailable or access denined. https://service.mail.qq.com/detail/122/166'],
    // Yahoo.
    ['554 Message not accepted due to unresolvable RFC.5321 from domain. See https://postmaster.example'],
    // Blocked by the recipient, at several Asian and British providers.
    ['550 The user refuses to receive this mail'],
    ['550 Refused due to recipient preferences'],
    ['550 Recipient refuses to accept your mail'],
    ['550 Your message was rejected by this user and was not delivered'],
    ['550 from contains invalid characters'],
    ['550 no MX record for domain sender.example'],
    ['550 Mail from 192.0.2.1 refused: see https://blocks.example'],
    ['550 Too many errors: no valid recipients from 192.0.2.1'],
    ['550 Rejected - bulk email'],
    ['553 Message filtered. Refer to the troubleshooting page'],
    ['550 This is a members-only list'],
    ['550 Message bounced due to organizational settings.'],
    ["550 The sender's email address is on SenderFilterConfig list"],
    // mail.ru.
    ['451 Ratelimit exceeded for mailbox ada@example.com. Try again later.'],
    // Orange and La Poste.
    ['550 5.2.0 Mail rejete. Mail rejected. OFR_506 [506]'],
    ['550 5.5.0 Mail rejete. Mail rejected. LPN007_506'],
  ])('never suppresses: %s', (diagnostic) => {
    expect(classify({ diagnostic }).bounceType).toBe('blocked');
  });

  it.each([
    ['550 5.1.2 unknown host'],
    ['550 5.1.2 <ada@gone.example>... Host unknown (Name server: gone.example: host not found)'],
    ['554 5.4.4 unknown host gone.example'],
    ['Recipient address rejected: Domain not found'],
    ['550 no such domain'],
    ['No MX record for domain gone.example'],
    ["CNAME lookup failed permanently. Sorry, I couldn't find any host named gone.example. (#5.1.2)"],
    ['550 user unknown, message of 535 octets'],
    ['5.1.1 535-user unknown'],
  ])('is not meant by: %s', (diagnostic) => {
    expect(effectOf(diagnostic)).toBe('suppress');
  });
});

describe('a 4.X.X', () => {
  it.each([
    ['450 4.1.1 <ada@example.com>: Recipient address rejected: User unknown in local recipient table'],
    ['450 User unknown'],
    ['450 4.1.1 undeliverable address: host mx.example.com said: 550 5.1.1 no such user'],
  ])('that contradicts nothing suppresses if it names a missing mailbox: %s', (diagnostic) => {
    expect(effectOf(diagnostic)).toBe('suppress');
  });

  it.each([
    ['4.1.1'],
    ['450 4.1.1'],
    ['450 4.1.1 unverified address: user unknown'],
    ['450 4.1.1 User unknown, try again later'],
    ['450 4.2.0 User unknown'],
    ['451 4.3.0 No such user'],
    ['450 4.7.1 User unknown'],
    ['454 4.4.4 no such user'],
    ['450 4.1.2 Domain not found'],
    ['450 4.1.6 the recipient has moved'],
    ['450 mailbox closed'],
    ['DNS error: the domain has a null MX. 4.0.0'],
  ])('of another cause does not: %s', (diagnostic) => {
    expect(effectOf(diagnostic)).not.toBe('suppress');
  });
});

describe("an address on the provider's own list", () => {
  it.each([
    [
      'Amazon SES did not send the message to this address because it is on the suppression list for your account. For more information, see the Amazon SES Developer Guide.',
    ],
    [
      'Amazon SES has suppressed sending to this address because it has a recent history of bouncing as an invalid address.',
    ],
    ['550 5.7.1 recipient address was suppressed due to customer policy'],
    ['550 5.7.1 recipient address was suppressed due to system policy'],
    ['605 Not delivering to previously bounced address'],
    ['550 5.1.1 the address is on our suppression list'],
    ['550 ada@example.com is on a suppression list'],
    ['550 on the global suppression list'],
  ])('is added if absent: %s', (diagnostic) => {
    expect(effectOf(diagnostic)).toBe('suppress-if-absent');
  });

  it.each(['Spam Complaint', 'List Unsubscribe', 'Unsubscribe Rule', 'Link Unsubscribe'])(
    'did not bounce, so it is not added as a bounce: %s',
    (reason) => {
      for (const text of [`(${reason})`, `: ${reason}`]) {
        const policy = `554 5.7.1 recipient address was suppressed due to customer policy${text}`;
        expect(classify({ diagnostic: policy })).toMatchObject({
          effect: 'none',
          reason: 'the provider did not send, because the recipient had complained or unsubscribed',
        });
      }
    },
  );
});

describe('a refusal by this service, when it comes back as a bounce', () => {
  const causes = ['complaint', 'unsubscribe', 'manual', 'bounce', 'preference', 'topic_default', 'rule'];

  it.each(causes)('has no effect, whatever the cause: %s', (cause) => {
    const text = refusalText({ cause, id: '0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11' });
    expect(effectOf(`554 <ada@example.com>: Recipient address rejected: ${text}`)).toBe('none');
    expect(effectOf(`550 ${text}`)).toBe('none');
    expect(classify({ status: '5.7.1', diagnostic: text }).effect).toBe('none');
  });
});

describe('hostile words', () => {
  it.each([
    ['does not accept mail '],
    ['the recipient address a b c cannot be '],
    ['exceeds the allowed size of the '],
    ['too many messages in a '],
    ['no such user login '],
    [':a@b,'],
    ['a@b...'],
    ['<<a@b>>'],
    ["don't n't "],
    ['535:'],
  ])('are read up to a length: %j', (piece) => {
    const read = classify({ diagnostic: `${piece.repeat(3_000).slice(0, 2_000)} mailbox full` });
    expect(read).toEqual(classify({ diagnostic: piece.repeat(3_000).slice(0, 2_000) }));
  });

  it('meet no pattern that repeats a group without a bound', () => {
    const patterns = Object.values(wording).map(({ source }) => source);
    expect(patterns.length).toBeGreaterThan(30);
    expect(patterns.filter((source) => /\)(?:[*+]|\{\d*,\})/.test(source))).toEqual([]);
  });
});
