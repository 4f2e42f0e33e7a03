import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

export interface TestCertificate {
  pem: string;
  privateKey: KeyObject;
}

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const NULL = 0x05;
const OBJECT_IDENTIFIER = 0x06;
const UTF8_STRING = 0x0c;
const GENERALIZED_TIME = 0x18;
const VERSION_3 = Buffer.from([0xa0, 0x03, INTEGER, 0x01, 0x02]);
const SERIAL_NUMBER = tlv(INTEGER, Buffer.from([1]));
/** 1.2.840.113549.1.1.11, sha256WithRSAEncryption. */
const SHA256_WITH_RSA = tlv(
  SEQUENCE,
  tlv(OBJECT_IDENTIFIER, Buffer.from('2a864886f70d01010b', 'hex')),
  tlv(NULL),
);
/** 2.5.4.3 */
const COMMON_NAME = tlv(OBJECT_IDENTIFIER, Buffer.from('550403', 'hex'));

/** A self-signed certificate of a new RSA key (RFC 5280, section 4.1). */
export function createCertificate(validFrom: Date, validTo: Date): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const name = tlv(
    SEQUENCE,
    tlv(SET, tlv(SEQUENCE, COMMON_NAME, tlv(UTF8_STRING, Buffer.from('sns.amazonaws.com')))),
  );
  const body = tlv(
    SEQUENCE,
    VERSION_3,
    SERIAL_NUMBER,
    SHA256_WITH_RSA,
    name,
    tlv(SEQUENCE, time(validFrom), time(validTo)),
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
  );
  const signature = tlv(BIT_STRING, Buffer.from([0]), sign('sha256', body, privateKey));
  const base64 = tlv(SEQUENCE, body, SHA256_WITH_RSA, signature).toString('base64');
  const lines = base64.match(/.{1,64}/g)!.join('\n');
  return { pem: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`, privateKey };
}

/** Tag, length and value (X.690, section 8.1). */
function tlv(tag: number, ...values: Buffer[]): Buffer {
  const value = Buffer.concat(values);
  const length =
    value.length < 0x80 ? [value.length] : [0x82, Math.floor(value.length / 0x100), value.length % 0x100];
  return Buffer.concat([Buffer.from([tag, ...length]), value]);
}

function time(date: Date): Buffer {
  return tlv(GENERALIZED_TIME, Buffer.from(`${date.toISOString().replace(/[-:T]|\.\d+/g, '')}`));
}
