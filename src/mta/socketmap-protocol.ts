import { quoteLocalPart } from '../email-address/mailbox.js';
import { refusalText } from '../mta-hooks/refusal-text.js';
import type { Answer } from './verdict-source.js';
import { MalformedRequestError, type OnFailure, type Protocol, type RequestReader } from './protocol.js';
import type { Questions } from './questions.js';

const MAX_REQUEST_BYTES = 16_384;
const COLON = 0x3a;
const COMMA = 0x2c;
const LENGTH = /^(?:0|[1-9]\d{0,4})$/;
const NOT_FOUND = 'NOTFOUND ';

/** The text for a suppressed recipient by map: an action of access(5), or an entry of transport(5). */
const DATA: Readonly<Record<string, (text: string) => string>> = {
  access: (text) => `REJECT ${text}`,
  transport: (text) => `error:${text}`,
};

/**
 * Postfix's socketmap (socketmap_table(5)): netstrings of `name key`, answered by `OK data`, `NOTFOUND `, `TEMP reason`, or
 * `PERM reason`. The maps are `access` and `transport`, and `access.<purpose>` and `transport.<purpose>`. Only whole addresses
 * are found, neither domains nor the `*` that transport(5) looks up.
 */
export class SocketmapProtocol implements Protocol<string> {
  readonly name = 'socketmap';

  constructor(
    private readonly questions: Questions,
    private readonly onFailure: OnFailure,
  ) {}

  createReader(): RequestReader<string> {
    return new NetstringReader();
  }

  async answer(request: string): Promise<string> {
    return toNetstring(await this.lookUp(request));
  }

  private async lookUp(request: string): Promise<string> {
    const space = request.indexOf(' ');
    const [name = '', ...purpose] = request.slice(0, space).split('.');
    if (space < 0 || !Object.hasOwn(DATA, name)) {
      return 'PERM The name of the map must be access or transport, or one of them, a dot, and a purpose.';
    }
    const key = request.slice(space + 1);
    if (key.lastIndexOf('@') < 1 || key.endsWith('@')) {
      return NOT_FOUND;
    }
    const answer = await this.questions.ask({
      protocol: this.name,
      address: quoteLocalPart(key),
      purpose: purpose.join('.') || undefined,
    });
    return this.replyFor(answer, DATA[name]!);
  }

  private replyFor(answer: Answer, toData: (text: string) => string): string {
    switch (answer.verdict) {
      case 'suppressed':
        return `OK ${toData(refusalText(answer))}`;
      case 'unavailable':
        return this.onFailure === 'defer' ? 'TEMP The suppression list is unavailable' : NOT_FOUND;
      default:
        return NOT_FOUND;
    }
  }
}

function toNetstring(text: string): string {
  return `${Buffer.byteLength(text)}:${text},`;
}

/** Reads `<length>:<bytes>,` (http://cr.yp.to/proto/netstrings.txt). */
class NetstringReader implements RequestReader<string> {
  private rest: Buffer = Buffer.alloc(0);

  read(chunk: Buffer): string[] {
    const requests: string[] = [];
    this.rest = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    for (let request = this.take(); request !== undefined; request = this.take()) {
      requests.push(request);
    }
    return requests;
  }

  private take(): string | undefined {
    const colon = this.rest.indexOf(COLON);
    const digits = this.rest.toString('latin1', 0, colon < 0 ? this.rest.length : colon);
    if (this.rest.length > 0 && !LENGTH.test(digits)) {
      throw new MalformedRequestError();
    }
    const start = colon + 1;
    const end = start + Number(digits);
    if (Number(digits) > MAX_REQUEST_BYTES) {
      throw new MalformedRequestError();
    }
    if (colon < 0 || this.rest.length <= end) {
      return undefined;
    }
    if (this.rest[end] !== COMMA) {
      throw new MalformedRequestError();
    }
    const request = this.rest.toString('utf8', start, end);
    this.rest = this.rest.subarray(end + 1);
    return request;
  }
}
