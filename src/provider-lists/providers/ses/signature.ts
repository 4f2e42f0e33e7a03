import { createHash, createHmac } from 'node:crypto';

const ALGORITHM = 'AWS4-HMAC-SHA256';
const EMPTY_BODY = sha256('');

export interface SignedRequest {
  host: string;
  path: string;
  query: Readonly<Record<string, string>>;
  region: string;
  service: string;
  accessKeyId: string;
  secretAccessKey: string;
  now: Date;
}

/** Signs a GET request (https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html). */
export function signGet(request: SignedRequest): { path: string; headers: Record<string, string> } {
  const { host, path, query, region, service, accessKeyId, secretAccessKey, now } = request;
  const time = `${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
  const day = time.slice(0, 8);
  const canonicalQuery = Object.entries(query)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
  const names = 'host;x-amz-date';
  const headers = `host:${host}\nx-amz-date:${time}\n`;
  const canonical = ['GET', path, canonicalQuery, headers, names, EMPTY_BODY].join('\n');
  const credential = `${day}/${region}/${service}/aws4_request`;
  const text = [ALGORITHM, time, credential, sha256(canonical)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(
    (parent, part) => hmac(parent, part).digest(),
    `AWS4${secretAccessKey}`,
  );
  const signature = hmac(key, text).digest('hex');
  return {
    path: canonicalQuery === '' ? path : `${path}?${canonicalQuery}`,
    headers: {
      'x-amz-date': time,
      authorization: `${ALGORITHM} Credential=${accessKeyId}/${credential}, SignedHeaders=${names}, Signature=${signature}`,
    },
  };
}

/** RFC 3986, section 2.3: everything but unreserved characters. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string) {
  return createHmac('sha256', key).update(text);
}
