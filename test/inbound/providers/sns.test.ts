import { X509Certificate } from 'node:crypto';
import { ServiceUnavailableError } from '../../../src/http/errors/errors.js';
import { ProviderNetwork } from '../../../src/inbound/providers/provider-network.js';
import { TOPIC_ARNS, ses } from '../../../src/inbound/providers/ses/provider.js';
import { createCertificate } from '../../support/servers/certificate.js';
import { delivery, NOW, source } from '../../support/deliveries.js';
import { until } from '../../support/until.js';
import * as sns from '../../support/servers/sns.js';
import { CERTIFICATE_URL, confirmation, envelope, TOPIC } from '../../support/servers/sns.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const SOURCE = source({}, { topicArns: [TOPIC] });

const certificate = createCertificate(new Date(NOW.getTime() - DAY_MS), new Date(NOW.getTime() + DAY_MS));
const other = createCertificate(new Date(NOW.getTime() - DAY_MS), new Date(NOW.getTime() + DAY_MS));
const expired = createCertificate(new Date(NOW.getTime() - 2 * DAY_MS), new Date(NOW.getTime() - DAY_MS));

const signed = (fields: sns.Fields, { privateKey } = certificate) => sns.signed(fields, privateKey);

function verify(body: unknown, { pem = certificate.pem, settings = SOURCE } = {}) {
  return ses.verify(delivery(body), settings, { fetchCertificate: async () => new X509Certificate(pem) });
}

const fetchingBy = (fetchUrl: typeof fetch) => {
  const network = new ProviderNetwork(fetchUrl);
  return (url: string) => network.fetchCertificate(url);
};
const fetcher = (answer: () => Response) => fetchingBy(() => Promise.resolve(answer()));

describe('a message of Amazon SNS', () => {
  it.each(['1', '2'])('is verified with signature version %s', async (SignatureVersion) => {
    await expect(verify(signed(envelope('{}', { SignatureVersion })))).resolves.toEqual({});
  });

  it('is verified with a subject', async () => {
    await expect(verify(signed(envelope('{}', { Subject: 'Amazon SES Email Event' })))).resolves.toEqual({});
  });

  it('confirms a subscription to our topic, at an address that is not from the message', async () => {
    await expect(verify(signed(confirmation()))).resolves.toEqual({
      confirm:
        'https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription' +
        '&TopicArn=arn%3Aaws%3Asns%3Aus-east-1%3A123456789012%3Abounces&Token=a+token%26more',
    });
  });

  it('confirms a subscription in a Chinese region at its own domain', async () => {
    const TopicArn = 'arn:aws-cn:sns:cn-north-1:123456789012:bounces';
    const SigningCertURL = `https://sns.cn-north-1.amazonaws.com.cn/SimpleNotificationService-${'0'.repeat(32)}.pem`;
    const settings = source({}, { topicArns: [TopicArn] });
    const verified = await verify(signed(confirmation({ TopicArn, SigningCertURL })), { settings });
    expect(verified.confirm).toMatch(/^https:\/\/sns\.cn-north-1\.amazonaws\.com\.cn\/\?/);
  });

  it('that ends a subscription is verified, and confirms nothing', async () => {
    await expect(verify(signed(confirmation({ Type: 'UnsubscribeConfirmation' })))).resolves.toEqual({});
  });

  const old = new Date(NOW.getTime() - 16 * DAY_MS).toISOString();
  it.each<[string, unknown]>([
    ['of another topic', signed(envelope('{}', { TopicArn: `${TOPIC}2` }))],
    ['that subscribes us to another topic', signed(confirmation({ TopicArn: `${TOPIC}2` }))],
    ['without a signature', envelope('{}')],
    ['signed with another key', signed(envelope('{}'), other)],
    ['with another message than was signed', { ...signed(envelope('{}')), Message: '{"a":1}' }],
    ['with a token that was not signed', { ...signed(confirmation()), Token: 'b' }],
    ['of another type than was signed', { ...signed(confirmation()), Type: 'Notification' }],
    ['of an unknown type', signed(envelope('{}', { Type: 'Rumour' }))],
    ['of an unknown signature version', { ...signed(envelope('{}')), SignatureVersion: '3' }],
    ['of last month', signed(envelope('{}', { Timestamp: old }))],
    ['without a time', signed(envelope('{}', { Timestamp: 'noon' }))],
  ])('is refused %s', async (_how, body) => {
    await expect(verify(body)).rejects.toMatchObject({ code: 'invalid_signature', statusCode: 401 });
  });

  it.each([
    'http://sns.us-east-1.amazonaws.com/SimpleNotificationService-0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a.pem',
    `https://sns.us-east-1.amazonaws.com.attacker.example/SimpleNotificationService-${'0a'.repeat(16)}.pem`,
    `https://attacker@sns.us-east-1.amazonaws.com/SimpleNotificationService-${'0a'.repeat(16)}.pem`,
    `https://sns.us-east-1.amazonaws.com/bucket/SimpleNotificationService-${'0a'.repeat(16)}.pem`,
    `https://sns.us-east-1.amazonaws.com/?file=SimpleNotificationService-${'0a'.repeat(16)}.pem`,
    `${CERTIFICATE_URL}?x`,
    `${CERTIFICATE_URL}\n`,
    `https://s3.us-east-1.amazonaws.com/SimpleNotificationService-${'0a'.repeat(16)}.pem`,
    `https://sns.s3-us-west-2.amazonaws.com/SimpleNotificationService-${'0a'.repeat(16)}.pem`,
    `https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-${'0a'.repeat(16)}.pem`,
    'https://sns.us-east-1.amazonaws.com/evil.pem',
  ])('is refused with its certificate at %s, which nobody fetches', async (SigningCertURL) => {
    const fetched: string[] = [];
    const fetchCertificate = async (url: string) => {
      fetched.push(url);
      return new X509Certificate(certificate.pem);
    };
    const request = delivery(signed(envelope('{}', { SigningCertURL })));
    await expect(ses.verify(request, SOURCE, { fetchCertificate })).rejects.toMatchObject({
      statusCode: 401,
    });
    expect(fetched).toEqual([]);
  });

  it('is refused with an expired certificate', async () => {
    const body = signed(envelope('{}'), expired);
    await expect(verify(body, { pem: expired.pem })).rejects.toMatchObject({ statusCode: 401 });
  });

  it('is refused by a source that names no topic', async () => {
    await expect(verify(signed(envelope('{}')), { settings: source() })).rejects.toMatchObject({
      statusCode: 401,
    });
  });

  it('is refused without its envelope, with a hint at the setting that causes this', async () => {
    await expect(verify({ notificationType: 'Bounce', bounce: {} })).rejects.toMatchObject({
      statusCode: 401,
      message: expect.stringContaining('raw message delivery'),
    });
  });

  it.each(['', '[]', 'null', '{"Type":'])('is malformed as %j', async (body) => {
    await expect(verify(body)).rejects.toMatchObject({ code: 'malformed_body', statusCode: 400 });
  });
});

describe('the ARN of a topic', () => {
  it('may be in any partition', () => {
    expect(TOPIC_ARNS.parse(TOPIC)).toBe(TOPIC);
    const government = 'arn:aws-us-gov:sns:us-gov-west-1:123456789012:Bounces_1';
    expect(TOPIC_ARNS.parse(government)).toBe(government);
  });

  it.each([
    '',
    'bounces',
    `${TOPIC}.fifo`,
    'arn:aws:sqs:us-east-1:123456789012:q',
    'arn:aws:sns:a.b:123456789012:t',
  ])('is not %j', (text) => {
    expect(TOPIC_ARNS.parse(text)).toMatchObject({ problem: expect.stringMatching(/arn:aws:sns/) });
  });
});

describe('the certificate of Amazon SNS', () => {
  it.each([403, 404, 500])('reads the body of a response with status %s to its end', async (status) => {
    let isCancelled = false;
    const body = new ReadableStream({ cancel: () => void (isCancelled = true) });
    await expect(fetcher(() => new Response(body, { status }))(CERTIFICATE_URL)).rejects.toThrow();
    expect(isCancelled).toBe(true);
  });

  it('is fetched once', async () => {
    const fetched: unknown[] = [];
    const fetchCertificate = fetchingBy(async (url, options) => {
      fetched.push([url, options?.redirect]);
      return new Response(certificate.pem);
    });
    const first = await fetchCertificate(CERTIFICATE_URL);
    expect(first.toString()).toBe(certificate.pem);
    await expect(fetchCertificate(CERTIFICATE_URL)).resolves.toBe(first);
    expect(fetched).toEqual([[CERTIFICATE_URL, 'error']]);
  });

  it('is requested once for all concurrent callers, and for those right after a failure', async () => {
    let isUp = false;
    let requests = 0;
    const fetchCertificate = fetchingBy(async () => {
      requests++;
      return isUp ? new Response(certificate.pem) : new Response('', { status: 500 });
    });
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => fetchCertificate(CERTIFICATE_URL)));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await expect(fetchCertificate(CERTIFICATE_URL)).rejects.toThrow(ServiceUnavailableError);
    expect(requests).toBe(1);
    isUp = true;
    await until(() =>
      fetchCertificate(CERTIFICATE_URL).then(
        () => true,
        () => false,
      ),
    );
    expect(requests).toBe(2);
  });

  it('does not exist, or is too long', async () => {
    const missing = fetcher(() => new Response('', { status: 404 }));
    await expect(missing(CERTIFICATE_URL)).rejects.toMatchObject({ statusCode: 401 });
    const long = fetcher(() => new Response('x'.repeat(70_000)));
    await expect(long(CERTIFICATE_URL)).rejects.toMatchObject({ statusCode: 401 });
  });

  it('cannot be fetched now, so that Amazon has to retry', async () => {
    const broken = fetcher(() => new Response('', { status: 500 }));
    await expect(broken(CERTIFICATE_URL)).rejects.toThrow(ServiceUnavailableError);
    const unreachable = fetchingBy(() => Promise.reject(new TypeError('fetch failed')));
    await expect(unreachable(CERTIFICATE_URL)).rejects.toThrow(ServiceUnavailableError);
    const proxy = fetcher(() => new Response('<html>'));
    await expect(proxy(CERTIFICATE_URL)).rejects.toThrow(ServiceUnavailableError);
  });
});
