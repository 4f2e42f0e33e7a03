import { detect } from '../../src/imports/formats/detect.js';
import { FORMAT_NAMES, readEntries } from '../../src/imports/formats/formats.js';
import type { Hints, Reading } from '../../src/imports/formats/format.js';

const NOW = new Date('2026-11-21T00:00:00Z');

async function read(text: string, hints: Hints = {}, head = text): Promise<Reading[]> {
  const readings: Reading[] = [];
  async function* pieces() {
    yield text;
  }
  for await (const some of readEntries(pieces(), detect(head, hints), {
    now: NOW,
    defaultCause: 'manual',
    isForTopic: false,
  })) {
    readings.push(...some.map(({ reading }) => reading));
  }
  return readings;
}

function entry(email: string, cause: string, createdAt = '', note = ''): object {
  return { email, cause, createdAt, note };
}

const MAILCHIMP = 'Email Address,First Name,MEMBER_RATING,OPTIN_TIME';
/** Names that users may give to columns of their own, and that the files of other providers have. */
const CUSTOM_NAMES =
  'Address,TAGS,Code,Error,Type,Value,CREATED_AT,Recipient,UUID,STATUS,Reason,LastUpdateTime,ID,Origin';

const COMMON_CAUSES = Object.entries({
  bounce: ['Bounced', 'hard_bounce', 'Invalid', 'invalid email'],
  complaint: ['complaint', 'SPAM', 'spam complaint', 'Spam Report', 'abuse'],
  unsubscribe: ['unsubscribe', 'unsub', 'opt-out', 'Unsubscribed'],
  manual: ['manual', 'ManualSuppression', 'custom'],
}).flatMap(([cause, names]) => names.map((name) => [name, cause] as const));

/** The name of the file, the format it has, the file, and what its entries mean. */
const FILES: [what: string, format: string, file: string, readings: object[], hints?: Hints][] = [
  [
    'the list of SES',
    'ses-list',
    `{"SuppressedDestinationSummaries": [
      {"EmailAddress": "ada@example.com", "Reason": "BOUNCE", "LastUpdateTime": 1586552585.077},
      {"EmailAddress": "bob@example.com", "Reason": "COMPLAINT", "LastUpdateTime": "2020-09-20T08:02:05.934000+00:00"}
    ], "NextToken": "abc"}`,
    [
      entry('ada@example.com', 'bounce', '1586552585.077'),
      entry('bob@example.com', 'complaint', '2020-09-20T08:02:05.934000+00:00'),
    ],
  ],
  [
    'an import file of SES',
    'ses-import',
    'ada@example.com, BOUNCE\nbob@example.com,COMPLAINT\nx@example.com,OTHER\n',
    [
      entry('ada@example.com', 'bounce'),
      entry('bob@example.com', 'complaint'),
      { error: 'unknown_cause', value: 'OTHER', email: 'x@example.com' },
    ],
  ],
  [
    'an import file of SES with semicolons',
    'ses-import',
    'ada@example.com;BOUNCE\n',
    [entry('ada@example.com', 'bounce')],
  ],
  [
    'an import file of SES in NDJSON',
    'ses-import',
    '{"emailAddress":"ada@example.com","reason":"BOUNCE"}\n{"emailAddress":"bob@example.com","reason":"COMPLAINT"}',
    [entry('ada@example.com', 'bounce'), entry('bob@example.com', 'complaint')],
  ],
  [
    'bounces of SendGrid',
    'sendgrid-bounces',
    'status,reason,email,created\n5.1.1,"550 5.1.1 no such user, sorry\nreally",ada@example.com,1443651125\n4.2.2,full,bob@example.com,1433800303\n',
    [
      entry('ada@example.com', 'bounce', '1443651125', '5.1.1 550 5.1.1 no such user, sorry\nreally'),
      { skip: 'soft_bounce' },
    ],
    { format: 'sendgrid-bounces' },
  ],
  [
    'blocks of SendGrid',
    'sendgrid-blocks',
    '[{"created":1443651154,"email":"ada@example.com","reason":"error dialing","status":"4.0.0"}]',
    [{ skip: 'block' }],
    { filename: 'suppression_blocks.csv' },
  ],
  [
    'invalid addresses of SendGrid',
    'sendgrid-invalid',
    'reason,email,created\nMail domain mentioned in email address is unknown,ada@examplecom,1620141015\n',
    [entry('ada@examplecom', 'bounce', '1620141015', 'Mail domain mentioned in email address is unknown')],
  ],
  [
    'a file with the columns of SendGrid, and causes',
    'sendgrid-invalid',
    'email,reason,created\nada@example.com,Unsubscribed,2020-01-01\nbob@example.com,bounce,2020-01-01\n',
    [
      { error: 'unknown_cause', value: 'Unsubscribed', email: 'ada@example.com' },
      entry('bob@example.com', 'bounce', '2020-01-01', 'bounce'),
    ],
  ],
  [
    'soft bounces in a file with the columns of SendGrid',
    'sendgrid-invalid',
    'email,reason,created\na@example.com,soft bounce,2020-01-01\nb@example.com,Soft_Bounce,\nc@example.com,transient,\n',
    [{ skip: 'soft_bounce' }, { skip: 'soft_bounce' }, { skip: 'soft_bounce' }],
  ],
  [
    'spam reports of SendGrid',
    'sendgrid-spam-reports',
    'ip,email,created\n10.89.32.5,ada@example.com,1443651141\n',
    [entry('ada@example.com', 'complaint', '1443651141')],
  ],
  [
    'global unsubscribes of SendGrid',
    'sendgrid-global-unsubscribes',
    'email,created\nada@example.com,1443651141\n',
    [entry('ada@example.com', 'unsubscribe', '1443651141')],
    { filename: 'suppression_unsubscribes.csv' },
  ],
  [
    'group unsubscribes of SendGrid',
    'sendgrid-group-unsubscribes',
    '[{"email":"ada@example.com","group_id":99,"group_name":"News","created_at":1410986704}]',
    [{ skip: 'one_group' }],
  ],
  [
    'bounces of Mailgun',
    'mailgun-bounces',
    'address,code,error,created_at\nada@example.com,550,No such mailbox,"Fri, 21 Oct 2011 11:02:55 GMT"\n',
    [entry('ada@example.com', 'bounce', 'Fri, 21 Oct 2011 11:02:55 GMT', '550 No such mailbox')],
  ],
  [
    'complaints of Mailgun',
    'mailgun-complaints',
    '{"items":[{"address":"ada@example.com","created_at":"Fri, 21 Oct 2011 11:02:55 UTC"}],"paging":{"first":"x"}}',
    [entry('ada@example.com', 'complaint', 'Fri, 21 Oct 2011 11:02:55 UTC')],
  ],
  [
    'bounces of Mailgun with hashes of messages',
    'mailgun-bounces',
    '{"items":[{"address":"ada@example.com","code":"550","error":"No such mailbox","created_at":"Fri, 21 Oct 2011 11:02:55 UTC","MessageHash":"9a1b"}],"paging":{"first":"x"}}',
    [entry('ada@example.com', 'bounce', 'Fri, 21 Oct 2011 11:02:55 UTC', '550 No such mailbox')],
  ],
  [
    'unsubscribes of Mailgun',
    'mailgun-unsubscribes',
    '{"items":[{"address":"ada@example.com","tags":["*"],"created_at":"Fri, 21 Oct 2011 11:02:55 UTC"},{"address":"bob@example.com","tags":["news"],"created_at":"Fri, 21 Oct 2011 11:02:55 UTC"}],"paging":{}}',
    [entry('ada@example.com', 'unsubscribe', 'Fri, 21 Oct 2011 11:02:55 UTC'), { skip: 'one_group' }],
  ],
  [
    'complaints of Mailgun with hashes of messages',
    'mailgun-complaints',
    '{"items":[{"address":"ada@example.com","created_at":"Fri, 21 Oct 2011 11:02:55 UTC","count":1},{"address":"bob@example.com","created_at":"Fri, 21 Oct 2011 11:02:55 UTC","MessageHash":"9a1b"}]}',
    [
      entry('ada@example.com', 'complaint', 'Fri, 21 Oct 2011 11:02:55 UTC'),
      entry('bob@example.com', 'complaint', 'Fri, 21 Oct 2011 11:02:55 UTC'),
    ],
  ],
  [
    'unsubscribes of several domains of Mailgun',
    'mailgun-unsubscribes',
    'address,tags,created_at,domain\nada@example.com,*,,a.example\nbob@example.com,news,,b.example\n',
    [entry('ada@example.com', 'unsubscribe'), { skip: 'one_group' }],
  ],
  [
    'complaints of several domains of Mailgun',
    'mailgun-complaints',
    '{"address":"ada@example.com","created_at":"Fri, 21 Oct 2011 11:02:55 UTC","domain":"a.example"}\n',
    [entry('ada@example.com', 'complaint', 'Fri, 21 Oct 2011 11:02:55 UTC')],
  ],
  [
    'complaints from the script of Mailgun',
    'mailgun-complaints',
    'address,code,error,created_at,MessageHash\nada@example.com,,,"Fri, 21 Oct 2011 11:02:55 UTC",\n',
    [entry('ada@example.com', 'complaint', 'Fri, 21 Oct 2011 11:02:55 UTC')],
    { filename: 'mg.example.com_complaints.csv' },
  ],
  [
    'compressed unsubscribes from the script of Mailgun',
    'mailgun-unsubscribes',
    'address,code,error,created_at,MessageHash\nada@example.com,,,"Fri, 21 Oct 2011 11:02:55 UTC",\n',
    [entry('ada@example.com', 'unsubscribe', 'Fri, 21 Oct 2011 11:02:55 UTC')],
    { filename: 'mg.example.com_unsubscribes.csv.gz' },
  ],
  [
    'the dump of Postmark',
    'postmark',
    `{"Suppressions":[
      {"EmailAddress":"ada@example.com","SuppressionReason":"HardBounce","Origin":"Recipient","CreatedAt":"2019-12-17T08:58:33-05:00"},
      {"EmailAddress":"bob@example.com","SuppressionReason":"SpamComplaint","Origin":"Recipient","CreatedAt":"2019-12-10T08:58:33-05:00"},
      {"EmailAddress":"cy@example.com","SuppressionReason":"ManualSuppression","Origin":"Recipient","CreatedAt":"2019-12-11T08:58:33-05:00"},
      {"EmailAddress":"di@example.com","SuppressionReason":"ManualSuppression","Origin":"Admin","CreatedAt":"2019-12-12T08:58:33-05:00"}]}`,
    [
      entry('ada@example.com', 'bounce', '2019-12-17T08:58:33-05:00'),
      entry('bob@example.com', 'complaint', '2019-12-10T08:58:33-05:00'),
      entry('cy@example.com', 'unsubscribe', '2019-12-11T08:58:33-05:00'),
      entry('di@example.com', 'manual', '2019-12-12T08:58:33-05:00'),
    ],
  ],
  [
    'the list of SparkPost',
    'sparkpost',
    `{"results":[
      {"recipient":"ada@example.com","type":"transactional","source":"Bounce Rule","description":"550: no such user","created":"2015-01-01T12:00:00+00:00","updated":"2016-01-01T12:00:00+00:00"},
      {"recipient":"bob@example.com","type":"non_transactional","source":"Spam Complaint","description":"","created":"2015-01-01T12:00:00+00:00"},
      {"recipient":"cy@example.com","type":"non_transactional","source":"Unsubscribe Link","list_id":"news","created":"2015-01-01T12:00:00+00:00"},
      {"recipient":"di@example.com","type":"non_transactional","source":"Manually Added","created":"2015-01-01T12:00:00+00:00"},
      {"recipient":"ed@example.com","type":"non_transactional","source":"List Unsubscribe"},
      {"recipient":"fay@example.com","type":"non_transactional","source":"Unsubscribe Link"},
      {"recipient":"gus@example.com","type":"transactional","source":"Compliance"}],
      "links":[],"total_count":7}`,
    [
      entry('ada@example.com', 'bounce', '2015-01-01T12:00:00+00:00', '550: no such user'),
      entry('bob@example.com', 'complaint', '2015-01-01T12:00:00+00:00'),
      { skip: 'one_group' },
      entry('di@example.com', 'manual', '2015-01-01T12:00:00+00:00'),
      entry('ed@example.com', 'unsubscribe'),
      entry('fay@example.com', 'unsubscribe'),
      entry('gus@example.com', 'manual'),
    ],
  ],
  [
    'a file with the columns of SparkPost, and types of its own',
    'sparkpost',
    'recipient,type,description\nada@example.com,Transactional,x\nbob@example.com,customer,\ncy@example.com,bounce,\n',
    [
      entry('ada@example.com', 'manual', '', 'x'),
      { error: 'unknown_cause', value: 'customer', email: 'bob@example.com' },
      { error: 'unknown_cause', value: 'bounce', email: 'cy@example.com' },
    ],
  ],
  [
    'a file with the columns of SparkPost, and types in other spellings',
    'sparkpost',
    'recipient,type\nada@example.com,\nbob@example.com,Non-Transactional\ncy@example.com,non_transactional\n',
    ['ada', 'bob', 'cy'].map((name) => entry(`${name}@example.com`, 'manual')),
  ],
  [
    'blocked contacts of Brevo',
    'brevo',
    `{"count":7,"contacts":[
      {"email":"ada@example.com","senderEmail":"us@example.org","reason":{"code":"hardBounce","message":"Hard bounce"},"blockedAt":"2017-05-01T12:30:00Z"},
      {"email":"bob@example.com","senderEmail":"us@example.org","reason":{"code":"unsubscribedViaEmail","message":"Unsubscribed"},"blockedAt":"2017-05-01T12:30:00Z"},
      {"email":"cy@example.com","senderEmail":"","reason":{"code":"contactFlaggedAsSpam","message":"Spam"},"blockedAt":"2017-05-01T12:30:00Z"},
      {"email":"di@example.com","senderEmail":"us@example.org","reason":{"code":"contactFlaggedAsSpam"},"blockedAt":"2017-05-01T12:30:00Z"},
      {"email":"ed@example.com","senderEmail":"us@example.org","reason":{"code":"adminBlocked"},"blockedAt":""},
      {"email":"fay@example.com","senderEmail":"","reason":{"code":"unsubscribedViaMA"},"blockedAt":""},
      {"email":"gus@example.com","senderEmail":"","reason":{"code":"unsubscribedViaApi"},"blockedAt":""},
      {"email":"hal@example.com","senderEmail":"","reason":{"code":"unsubscribedViaEmail"},"blockedAt":""}]}`,
    [
      entry('ada@example.com', 'bounce', '2017-05-01T12:30:00Z', 'Hard bounce'),
      { skip: 'one_sender' },
      entry('cy@example.com', 'complaint', '2017-05-01T12:30:00Z', 'Spam'),
      { skip: 'one_sender' },
      entry('ed@example.com', 'manual'),
      ...['fay', 'gus', 'hal'].map((name) => entry(`${name}@example.com`, 'unsubscribe')),
    ],
  ],
  [
    'contacts of Brevo',
    'brevo',
    'CONTACT ID;EMAIL;FIRSTNAME;EMAIL_BLACKLISTED\n1;ada@example.com;Ada;true\n2;bob@example.com;Bob;false\n',
    [entry('ada@example.com', 'manual'), { skip: 'not_suppressed' }],
  ],
  [
    'contacts of Mailjet',
    'mailjet',
    `{"Count":3,"Data":[
      {"ID":1,"Email":"ada@example.com","IsExcludedFromCampaigns":true,"ExclusionFromCampaignsUpdatedAt":"2018-01-01T00:00:00Z","IsSpamComplaining":false},
      {"ID":2,"Email":"bob@example.com","IsExcludedFromCampaigns":"true","ExclusionFromCampaignsUpdatedAt":"2018-01-01T00:00:00Z","IsSpamComplaining":"true"},
      {"ID":3,"Email":"cy@example.com","IsExcludedFromCampaigns":false,"IsSpamComplaining":false}],"Total":3}`,
    [
      entry('ada@example.com', 'unsubscribe', '2018-01-01T00:00:00Z'),
      entry('bob@example.com', 'complaint', '2018-01-01T00:00:00Z'),
      { skip: 'not_suppressed' },
    ],
  ],
  [
    'rejects of Mandrill, whose header names a column twice',
    'mandrill',
    `email,reason,detail,created_at,expires_at,last_event_at,expires_at,subaccount
ada@example.com,hard-bounce,550 no such user,2026-11-20 10:22:19.9567,2026-11-27 10:22:19,2026-11-20 10:22:19,2026-11-27 10:22:19,
bob@example.com,soft-bounce,mailbox full,2026-11-20 10:22:19,2026-11-27 10:22:19,2026-11-20 10:22:19,2026-11-27 10:22:19,
cy@example.com,unsub,,2015-11-03 10:22:19,2016-11-03 10:22:19,2015-11-03 10:22:19,2016-11-03 10:22:19,
di@example.com,custom,,2015-11-03 10:22:19,,2015-11-03 10:22:19,,
ed@example.com,custom,,2015-11-03 10:22:19,03/11/2030,2015-11-03 10:22:19,03/11/2030,
fay@example.com,spam,,,,,,
gus@example.com,unsub,,,,,,
`,
    [
      entry('ada@example.com', 'bounce', '2026-11-20 10:22:19.9567', '550 no such user'),
      { skip: 'soft_bounce' },
      { skip: 'expired' },
      entry('di@example.com', 'manual', '2015-11-03 10:22:19'),
      { error: 'invalid_date', value: '03/11/2030', email: 'ed@example.com' },
      entry('fay@example.com', 'complaint'),
      entry('gus@example.com', 'unsubscribe'),
    ],
  ],
  [
    'rejects of Mandrill that have expired, as its API returns them',
    'mandrill',
    '[{"email":"ada@example.com","reason":"spam","detail":"","created_at":"2026-11-01 10:22:19","expires_at":"2026-12-01 10:22:19","expired":true}]',
    [{ skip: 'expired' }],
  ],
  [
    'cleaned contacts of Mailchimp',
    'mailchimp-cleaned',
    `${MAILCHIMP},CLEAN_TIME,CLEAN_CAMPAIGN_TITLE,CLEAN_CAMPAIGN_ID,LEID,EUID\nada@example.com,Ada,2,2018-01-01 00:00:00,2019-02-03 04:05:06,News,abc,1,2\n`,
    [entry('ada@example.com', 'bounce', '2019-02-03 04:05:06', 'News')],
  ],
  [
    'cleaned contacts of Mailchimp with columns of their own',
    'mailchimp-cleaned',
    `Email Address,${CUSTOM_NAMES},CLEAN_TIME,NOTES\nada@example.com,"1 Main St",vip${','.repeat(13)}2019-02-03 04:05:06,\n`,
    [entry('ada@example.com', 'bounce', '2019-02-03 04:05:06')],
  ],
  [
    'contacts of Brevo with attributes of their own',
    'brevo',
    `EMAIL,${CUSTOM_NAMES},EMAIL_BLACKLISTED\nada@example.com${','.repeat(15)}true\n`,
    [entry('ada@example.com', 'manual')],
  ],
  [
    'unsubscribed contacts of Mailchimp',
    'mailchimp-unsubscribed',
    `${MAILCHIMP},UNSUB_TIME,UNSUB_REASON,UNSUB_REASON_OTHER,LEID\nada@example.com,Ada,2,,2019-02-03 04:05:06,NORMAL,,1\nbob@example.com,Bob,2,,2019-02-03 04:05:06,SPAM,,1\ncy@example.com,Cy,2,,,Abuse complaint,,1\n`,
    [
      entry('ada@example.com', 'unsubscribe', '2019-02-03 04:05:06', 'NORMAL'),
      entry('bob@example.com', 'complaint', '2019-02-03 04:05:06', 'SPAM'),
      entry('cy@example.com', 'complaint', '', 'Abuse complaint'),
    ],
  ],
  [
    'the list of Resend',
    'resend',
    '{"object":"list","has_more":false,"data":[{"object":"suppression","id":"0190","email":"ada@example.com","origin":"bounce","source_id":"4ef9a417-02e9-4d39-ad75-9611e0fcc33c","created_at":"2023-10-06 23:47:56.678+00"}]}',
    [
      {
        ...entry('ada@example.com', 'bounce', '2023-10-06 23:47:56.678+00'),
        emailId: '4ef9a417-02e9-4d39-ad75-9611e0fcc33c',
      },
    ],
  ],
  [
    'subscribers of listmonk',
    'listmonk',
    'uuid,email,name,attributes,status,created_at,updated_at\n1,ada@example.com,Ada,{},blocklisted,2020-01-01T00:00:00Z,2021-01-01T00:00:00Z\n2,bob@example.com,Bob,{},enabled,2020-01-01T00:00:00Z,2021-01-01T00:00:00Z\n',
    [entry('ada@example.com', 'manual', '2021-01-01T00:00:00Z'), { skip: 'not_suppressed' }],
  ],
  [
    'our own export',
    'export',
    'object,id,email,origin,source_id,created_at,cause,causes,expires_at,note\nsuppression,0190,ada@example.com,manual,,2026-01-15T09:30:00.123Z,unsubscribe,unsubscribe,,by phone\nsuppression,0191,bob@example.com,manual,,2026-01-15T09:30:00.123Z,manual,manual,2026-02-01T00:00:00.000Z,\nsuppression,0192,cy@example.com,manual,,2026-01-15T09:30:00.123Z,manual,manual,31/12/2030,\n',
    [
      { ...entry('ada@example.com', 'unsubscribe', '2026-01-15T09:30:00.123Z', 'by phone'), emailId: '' },
      { skip: 'expired' },
      { error: 'invalid_date', value: '31/12/2030', email: 'cy@example.com' },
    ],
  ],
  [
    'our own export of all causes',
    'export',
    '{"email":"ada@example.com","origin":"complaint","source_id":null,"created_at":"2020-01-01","cause":"complaint","causes":["complaint","bounce"],"expires_at":"2100-01-01T00:00:00.000Z","note":null}\n{"email":"bob@example.com","origin":"complaint","source_id":null,"created_at":"2020-01-01","cause":"complaint","causes":["complaint","bounce"],"expires_at":"2020-01-01T00:00:00.000Z","note":null}\n',
    [
      {
        ...entry('ada@example.com', 'complaint', '2020-01-01'),
        emailId: '',
        weakerCauses: ['bounce'],
        expiresAt: new Date('2100-01-01'),
      },
      { ...entry('bob@example.com', 'complaint', '2020-01-01'), emailId: '' },
    ],
  ],
  [
    'our own export of a topic',
    'topic-export',
    'email,topic,subscription,created_at\nada@example.com,news,opt_out,2020-01-01\nbob@example.com,news,opt_in,2020-01-01\n',
    [entry('ada@example.com', 'unsubscribe', '2020-01-01'), { skip: 'not_suppressed' }],
  ],
  [
    'a CSV with usual names',
    'csv',
    'E-Mail;Reason;Date\nada@example.com;Hard Bounce;2020-01-01\nbob@example.com;;\ncy@example.com;soft bounce;\ndi@example.com;blocked;\ned@example.com;block;\n',
    [
      entry('ada@example.com', 'bounce', '2020-01-01'),
      entry('bob@example.com', 'manual'),
      { skip: 'soft_bounce' },
      { error: 'unknown_cause', value: 'blocked', email: 'di@example.com' },
      { error: 'unknown_cause', value: 'block', email: 'ed@example.com' },
    ],
  ],
  [
    'a CSV with common names of causes',
    'csv',
    `email,reason\n${COMMON_CAUSES.map(([name]) => `ada@example.com,${name}\n`).join('')}`,
    COMMON_CAUSES.map(([, cause]) => entry('ada@example.com', cause)),
  ],
  [
    'a CSV with the names of SES',
    'csv',
    'Email Address,Reason\nada@example.com,Unsubscribed\nbob@example.com,\n',
    [entry('ada@example.com', 'unsubscribe'), entry('bob@example.com', 'manual')],
  ],
  [
    'a CSV whose addresses are called mail',
    'csv',
    'Mail\treason\nada@example.com\tbounce\n',
    [entry('ada@example.com', 'bounce')],
  ],
  [
    'a CSV with names of its own',
    'csv',
    'Kunde\tAdresse\tGrund\n1\tada@example.com\tcomplaint\n',
    [entry('ada@example.com', 'complaint')],
    { mapping: { email: 'Adresse', cause: 'Grund' } },
  ],
  [
    'one address a line',
    'plain',
    'ada@example.com\r\n\r\n"with \\" quotes"@example.com\nno address',
    [
      entry('ada@example.com', 'manual'),
      entry('"with \\" quotes"@example.com', 'manual'),
      entry('no address', 'manual'),
    ],
  ],
  [
    'one address a line below a header',
    'plain',
    'Email\nada@example.com\n',
    [entry('ada@example.com', 'manual')],
    { format: 'plain' },
  ],
];

/** Jest would pass a callback for a value that is left out. */
const CASES = FILES.map(([what, format, file, readings, hints = {}]) => ({
  what,
  format,
  file,
  readings,
  hints,
}));

describe('the formats of imports', () => {
  it.each(CASES)('read $what', async ({ format, file, readings, hints }) => {
    expect(detect(file, hints).format).toBe(format);
    await expect(read(file, hints)).resolves.toEqual(readings);
  });

  it('have an example file each', () => {
    expect(new Set(FILES.map(([, format]) => format))).toEqual(new Set(FORMAT_NAMES));
  });

  it.each(CASES)('read $what when the caller names the format', async ({ format, file, readings, hints }) => {
    await expect(read(file, { ...hints, format })).resolves.toEqual(readings);
  });

  it.each([
    [
      'mailgun-unsubscribes',
      'address,tags,name\nada@example.com,*,Ada\nbob@example.com,news,Bob\n',
      [entry('ada@example.com', 'unsubscribe'), { skip: 'one_group' }],
    ],
    [
      'mailgun-complaints',
      'address,name,created_at\nada@example.com,Ada,2020-01-01\n',
      [entry('ada@example.com', 'complaint', '2020-01-01')],
    ],
    [
      'ses-import',
      'Email Address,Reason\nada@example.com,BOUNCE\nbob@example.com,Complaint\n',
      [entry('ada@example.com', 'bounce'), entry('bob@example.com', 'complaint')],
    ],
    [
      'sendgrid-global-unsubscribes',
      'email,created,subuser\nada@example.com,1443651141,a\n',
      [entry('ada@example.com', 'unsubscribe', '1443651141')],
    ],
  ])('may have other columns if the caller names the format: %s', async (format, file, readings) => {
    await expect(read(file, { format })).resolves.toEqual(readings);
  });

  it.each([
    ['status,reason,email,created\n', 'sendgrid-bounces or sendgrid-blocks'],
    ['email,created\n', 'sendgrid-global-unsubscribes or sendgrid-group-unsubscribes'],
    [
      'address,code,error,created_at,MessageHash\n',
      'mailgun-bounces or mailgun-complaints or mailgun-unsubscribes',
    ],
    [
      'address,code,error,created_at,MessageHash,domain\n',
      'mailgun-bounces or mailgun-complaints or mailgun-unsubscribes',
    ],
    ['["ada@example.com"]', 'sendgrid-group-unsubscribes or plain'],
  ])('are not guessed: %j', (file, readings) => {
    expect(() => detect(file, {})).toThrow(
      expect.objectContaining({
        code: 'ambiguous_file_format',
        message: expect.stringContaining(`This file can be ${readings}`),
      }),
    );
  });

  it.each([
    ['an allowlist of Mandrill', 'email,detail,created_at\n'],
    [
      'an allowlist of Mailgun',
      '{"items":[{"type":"domain","value":"example.com","reason":"","createdAt":"x"}]}',
    ],
    ['subscribers of Mailchimp', `${MAILCHIMP},LAST_CHANGED,LEID,EUID\n`],
    ['contacts of SES', '{"emailAddress":"ada@example.com","unsubscribeAll":false}'],
    ['hashes', `${'0a'.repeat(16)}\n`],
  ])('refuse %s', (_what, file) => {
    expect(() => detect(file, {})).toThrow(expect.objectContaining({ code: 'file_refused' }));
  });

  it.each([
    ['an empty file', ' \n', {}, 'Send the list as the body'],
    [
      'a list of customers',
      'email,first_name\n',
      {},
      'email, first_name. They may be those of subscribers, who would get no more mail. Add ?format=csv if',
    ],
    ['customers with dates', 'address,name,created_at\n', {}, 'They may be those of subscribers'],
    ['customers with tags', 'address,name,tags\n', {}, 'They may be those of subscribers'],
    ['a CSV without a header', 'ada@example.com,Ada\n', {}, 'Add a header'],
    [
      'a page of bounces as another list of Mailgun',
      '{"items":[{"address":"a@example.com","code":"550","error":"","created_at":"x","MessageHash":"9a"}]}',
      { format: 'mailgun-complaints' },
      'The format is mailgun-complaints, but the keys are: ',
    ],
    [
      'unsubscribes of Mailgun as complaints',
      'address,tags,created_at\n',
      { format: 'mailgun-complaints' },
      'The format is mailgun-complaints, but the columns are: address, tags, created_at',
    ],
    [
      'bounces of SendGrid as invalid emails',
      'status,reason,email,created\n',
      { format: 'sendgrid-invalid' },
      'The format is sendgrid-invalid, but the columns are: ',
    ],
    [
      'spam reports of SendGrid as unsubscribes',
      'ip,email,created\n',
      { format: 'sendgrid-global-unsubscribes' },
      'The format is sendgrid-global-unsubscribes, but the columns are: ',
    ],
    [
      'another format than the named one',
      'a,b\n',
      { format: 'mandrill' },
      'The format is mandrill, but the columns are: a, b',
    ],
    [
      'a mapping of no column',
      'a,b\n',
      { mapping: { email: 'c' } },
      'The mapping names c, but the columns are: a, b',
    ],
    [
      'two columns of addresses',
      'email,Recipient,name\n',
      { format: 'csv' },
      'may have the addresses: email, Recipient. Name one with ?mapping=email=email',
    ],
    ['two columns of one name', 'email,Email\n', {}, 'same name: email, Email. Rename all but one'],
    ['two causes', 'email,cause,cause\n', {}, 'same name: cause, cause.'],
    ['a mapping of two columns', 'a,b,a\n', { mapping: { email: 'a' } }, 'same name: a, a.'],
    ['keys of one name', '{"email":"ada@example.com","Email":"b"}', {}, 'Several of the keys'],
    [
      'customers, of whom the first has no name',
      '[{"email":"a@b.cd"},{"email":"b@b.cd","name":"B"}]',
      {},
      'name. They may',
    ],
    ['an empty list', '{"Suppressions":[]}', {}, 'If the list is empty, there is nothing to import.'],
  ])('are unknown for %s', (_what, file, hints, message) => {
    expect(() => detect(file, hints)).toThrow(
      expect.objectContaining({ code: 'unknown_file_format', message: expect.stringContaining(message) }),
    );
  });

  it('are detected in linear time if the first line is nearly all CR', () => {
    expect(detect(`email${'\r'.repeat(1_000_000)}`, {})).toMatchObject({ shape: { hasHeader: true } });
  });

  it.each([
    ['for Excel', 'sep=;\nemail;cause\n', {}, 'only for Excel. Delete it'],
    ['for Excel, with a mapping', '"sep=,"\na,b\n', { mapping: { email: 'a' } }, 'only for Excel. Delete it'],
    ['of delimiters', ',,\nemail,cause,created_at\n', {}, 'no names. Delete it'],
  ])('are unreadable below a first line %s', (_what, file, hints, message) => {
    expect(() => detect(file, hints)).toThrow(
      expect.objectContaining({ code: 'unreadable_file', message: expect.stringContaining(message) }),
    );
  });

  it.each(['\n', ' \r\n\n', '\t\t\n'])('may begin with empty lines: %j', async (empty) => {
    await expect(read(`${empty}email\tcause\nada@example.com\tbounce\n`)).resolves.toEqual([
      entry('ada@example.com', 'bounce'),
    ]);
  });

  it.each([
    ['at the end', 'ip;email;created;;\n192.0.2.1;ada@example.com;1443651125;;\n'],
    ['with the numbers of the rows', ',ip,email,created\n0,192.0.2.1,ada@example.com,1443651125\n'],
    [
      'with the numbers of the rows, before a tab',
      '\n\tip\temail\tcreated\n0\t192.0.2.1\tada@example.com\t1443651125\n',
    ],
  ])('may have columns without a name %s', async (_where, file) => {
    expect(detect(file, {})).toMatchObject({ format: 'sendgrid-spam-reports' });
    await expect(read(file)).resolves.toEqual([entry('ada@example.com', 'complaint', '1443651125')]);
  });

  it.each([
    'address,reason,created_at\nada@example.com,bounce,2021-01-15\n',
    'created_at,cause,address\n2021-01-15,bounce,ada@example.com\n',
    'recipient,type,date\nada@example.com,bounce,2021-01-15\n',
  ])('keep the cause of a csv that resembles the file of a provider: %j', async (file) => {
    expect(detect(file, {})).toMatchObject({ format: 'csv' });
    await expect(read(file)).resolves.toEqual([entry('ada@example.com', 'bounce', '2021-01-15')]);
  });

  it('may have names that contain other delimiters', async () => {
    const file = '"E-Mail","Choose: a; b; c"\n"ada@example.com","a"\n';
    await expect(read(file, { format: 'csv' })).resolves.toEqual([entry('ada@example.com', 'manual')]);
  });

  it.each([
    'E-Mail;Name, Vorname;Ort, PLZ',
    'E-Mail,Choose a; b,Ort',
    'E-Mail; Name, Vorname; Ort',
    'E-Mail, a, b',
    'E-Mail, Name, Groups;Tags',
    'E-Mail;Name, a, b;c',
  ])('may have names with another delimiter and a space: %j', async (header) => {
    const delimiter = header['E-Mail'.length]!;
    const row = ['ada@example.com', 'a', 'b'].join(delimiter);
    await expect(read(`${header}\n${row}\n`, { format: 'csv' })).resolves.toEqual([
      entry('ada@example.com', 'manual'),
    ]);
  });

  it('may lack keys in the first entry of JSON', async () => {
    const file = [
      { email: 'ada@example.com' },
      { email: 'bob@example.com', cause: 'complaint', created_at: '2020-01-01' },
    ];
    const readings = [
      entry('ada@example.com', 'manual'),
      entry('bob@example.com', 'complaint', '2020-01-01'),
    ];
    await expect(read(JSON.stringify(file))).resolves.toEqual(readings);
    const mapping = { email: 'email', cause: 'cause', created_at: 'created_at' };
    await expect(read(JSON.stringify(file), { mapping })).resolves.toEqual(readings);
  });

  it('may lack keys in all entries of JSON that are read to detect the format', async () => {
    const head = '{"email":"ada@example.com"}\n';
    const others = [
      { email: 'bob@example.com', cause: 'complaint', created_at: '2020-01-01' },
      { email: 'cy@example.com', reason: 'spam', date: '2020-01-01' },
      { mail: 'di@example.com', type: 'complaint' },
    ];
    const file = head + others.map((other) => `${JSON.stringify(other)}\n`).join('');
    await expect(read(file, {}, head)).resolves.toEqual([
      entry('ada@example.com', 'manual'),
      entry('bob@example.com', 'complaint', '2020-01-01'),
      entry('cy@example.com', 'complaint', '2020-01-01'),
      entry('di@example.com', 'complaint'),
    ]);
  });

  it('keep the default cause of a JSON entry whose cause is empty, although other keys have a value', async () => {
    const entries = [
      {
        email: 'ada@example.com',
        cause: 'bounce',
        created_at: '2020-01-01',
        type: 'customer',
        date: 'today',
      },
      { email: 'bob@example.com', cause: '', created_at: '', type: 'customer', date: 'next week' },
      { email: 'cy@example.com', cause: null, created_at: null, type: 'customer', date: 'next week' },
    ];
    await expect(read(JSON.stringify(entries), { format: 'csv' })).resolves.toEqual([
      entry('ada@example.com', 'bounce', '2020-01-01'),
      entry('bob@example.com', 'manual'),
      entry('cy@example.com', 'manual'),
    ]);
  });

  it('may spell a key differently in other entries of JSON', async () => {
    const file =
      '{"email":"ada@example.com","created_at":"2020-01-01"}\n{"email":"bob@example.com","createdAt":"2021-01-01"}\n';
    await expect(read(file)).resolves.toEqual([
      entry('ada@example.com', 'manual', '2020-01-01'),
      entry('bob@example.com', 'manual', '2021-01-01'),
    ]);
  });

  it('may have names with line breaks inside quotation marks', async () => {
    await expect(read('"E-Mail\nAddress";cause\nada@example.com;bounce\n')).resolves.toEqual([
      entry('ada@example.com', 'bounce'),
    ]);
  });

  it('may have several columns of the same name, if they are not read', async () => {
    await expect(read('id,email,id\n1,ada@example.com,2\n', { format: 'csv' })).resolves.toEqual([
      entry('ada@example.com', 'manual'),
    ]);
  });

  it('report a row that lacks fields', async () => {
    await expect(read('email,cause\nada@example.com\nbob@example.com,bounce,,\n')).resolves.toEqual([
      { error: 'malformed_row', value: 'ada@example.com' },
      entry('bob@example.com', 'bounce'),
    ]);
  });

  it('report a line of NDJSON that is an array', async () => {
    const file = '{"email":"ada@example.com","cause":"bounce"}\n["bob@example.com"]\n';
    await expect(read(file)).resolves.toEqual([
      entry('ada@example.com', 'bounce'),
      { error: 'malformed_row', value: '["bob@example.com"]' },
    ]);
  });
});
