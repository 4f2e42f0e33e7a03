import { ses } from '../../src/provider-lists/providers/ses.js';
import { sign } from '../../src/provider-lists/providers/ses-signature.js';

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html: the credentials of AWS's test suite. */
const SUITE = {
  method: 'GET',
  host: 'example.amazonaws.com',
  path: '/',
  region: 'us-east-1',
  service: 'service',
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  now: new Date('2015-08-30T12:36:00Z'),
} as const;

const UNRESERVED = '-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('the signature of a request to AWS', () => {
  it.each([
    ['get-vanilla', {}, '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    [
      'get-vanilla-query-order-key-case',
      { Param2: 'value2', Param1: 'value1' },
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    [
      'get-vanilla-query-unreserved',
      { [UNRESERVED]: UNRESERVED },
      '9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197',
    ],
    [
      'get-vanilla-utf8-query',
      { ሴ: 'bar' },
      '2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04',
    ],
  ])("is the one of AWS's test %s", (_name, query, signature) => {
    const headers = sign({ ...SUITE, query });
    expect(headers.authorization).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, ' +
        `SignedHeaders=host;x-amz-date, Signature=${signature}`,
    );
  });

  it.each([
    [
      'post-vanilla',
      {},
      'host;x-amz-date',
      '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
    ],
    [
      'post-x-www-form-urlencoded',
      { body: 'Param1=value1', contentType: 'application/x-www-form-urlencoded' },
      'content-type;host;x-amz-date',
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    ],
  ])("covers the body and its type as in AWS's test %s", (_name, more, names, signature) => {
    const headers = sign({ ...SUITE, method: 'POST', query: {}, ...more });
    expect(headers.authorization).toContain(`SignedHeaders=${names}, Signature=${signature}`);
  });

  /** From botocore 1.43.107, which also makes the signatures above. */
  it.each([
    [
      'GET' as const,
      '/v2/email/suppression/addresses',
      { PageSize: '1000', NextToken: "a+b/c=='(1)*!", TenantName: 'shop' },
      '852189b77819d4757c8e9a4457150bb3128e129d48c3aae31a720b404cac9819',
    ],
    [
      'DELETE' as const,
      '/v2/email/suppression/addresses/Ada%2Bx%40example.com',
      {},
      'f9a4da31c6dd52a0364bed3be9ddbbc41e4aa94638ad97d0f2fd5c225583ff36',
    ],
  ])("is the one of AWS's client for a %s of SES", (method, path, query, signature) => {
    const host = 'email.eu-west-1.amazonaws.com';
    const signed = sign({ ...SUITE, method, host, path, query, region: 'eu-west-1', service: 'ses' });
    expect(signed.authorization).toContain(`SignedHeaders=host;x-amz-date, Signature=${signature}`);
  });

  it('covers the query as it is sent', () => {
    const credentials = { access_key_id: SUITE.accessKeyId, secret_access_key: SUITE.secretAccessKey };
    const connection = { scope: { region: 'eu-west-1', tenant: 'shop' }, credentials };
    const position = "a+b/c=='(1)*!";
    const request = ses.request({ position }, ses.lists[0]!, connection);
    expect(request.path).toBe(
      '/v2/email/suppression/addresses?PageSize=1000&NextToken=a%2Bb%2Fc%3D%3D%27%281%29%2A%21&TenantName=shop',
    );
    const { authorization } = ses.headersOf!(connection, request, SUITE.now);
    expect(authorization).toContain('852189b77819d4757c8e9a4457150bb3128e129d48c3aae31a720b404cac9819');
  });
});
