import { createHash, createHmac } from 'node:crypto';
import { percentEncode } from './addresses.js';
import type { ProviderRequest } from './provider.js';

const ALGORITHM = 'AWS4-HMAC-SHA256';

export interface SignedRequest {
  method: ProviderRequest['method'];
  host: string;
  /** Percent-encoded. */
  path: string;
  query: Readonly<Record<string, string>>;
  region: string;
  service: string;
  accessKeyId: string;
  secretAccessKey: string;
  now: Date;
  /** JSON, unless the headers say otherwise. */
  body?: string;
  contentType?: string;
}

/** The headers that sign a request (https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html). */
export function sign(request: SignedRequest): Record<string, string> {
  const { method, host, path, query, region, service, accessKeyId, secretAccessKey, now, body } = request;
  const type = request.contentType ?? 'application/json';
  const time = `${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
  const day = time.slice(0, 8);
  const canonicalQuery = Object.entries(query)
    .map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`)
    .sort()
    .join('&');
  const signed = [
    ...(body === undefined ? [] : [['content-type', type]]),
    ['host', host],
    ['x-amz-date', time],
  ];
  const names = signed.map(([name]) => name).join(';');
  const headers = signed.map((header) => `${header.join(':')}\n`).join('');
  const canonicalPath = path.split('/').map(percentEncode).join('/');
  const canonical = [method, canonicalPath, canonicalQuery, headers, names, sha256(body ?? '')].join('\n');
  const credential = `${day}/${region}/${service}/aws4_request`;
  const text = [ALGORITHM, time, credential, sha256(canonical)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(
    (parent, part) => hmac(parent, part).digest(),
    `AWS4${secretAccessKey}`,
  );
  const signature = hmac(key, text).digest('hex');
  return {
    ...(body !== undefined && { 'content-type': type }),
    'x-amz-date': time,
    authorization: `${ALGORITHM} Credential=${accessKeyId}/${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string) {
  return createHmac('sha256', key).update(text);
}
