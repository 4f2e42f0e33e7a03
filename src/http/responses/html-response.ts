import { createHash } from 'node:crypto';
import { isValidElement, type VNode } from 'preact';
import { renderHtml } from './html-document.js';
import { sendHtml, sendText, type ResponseHeaders, type TracedResponse } from './response.js';

/**
 * The result of a handler of an HTML route: an `HtmlDocument` with status 200, an `HtmlPage` with another status or with
 * headers, a `SeeOther` after a form was handled, or a `StaticFile`.
 */
export type HtmlResponse = VNode | HtmlPage | SeeOther | StaticFile;

export class HtmlPage {
  /**
   * @param options - `status` is 200 unless given; `script` allows script files of this origin
   */
  constructor(
    readonly document: VNode,
    readonly options: { status?: number; headers?: ResponseHeaders; script?: boolean } = {},
  ) {}
}

/** Makes the browser GET another page, so that reloading it repeats nothing (RFC 9110, section 15.4.4). */
export class SeeOther {
  constructor(
    readonly location: string,
    readonly headers: ResponseHeaders = {},
  ) {}
}

/** A style sheet or script that is part of the source. Its URL names its version, so browsers keep it for a year. */
export class StaticFile {
  /** Appended to the URL of the file as a query, such as `?v=1f2e3d4c`. */
  readonly version: string;

  constructor(
    readonly contentType: string,
    readonly text: string,
  ) {
    this.version = `?v=${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
  }
}

/** Sends nothing if a response was already sent. */
export function sendHtmlResponse(response: TracedResponse, result: HtmlResponse): void {
  if (result instanceof SeeOther) {
    sendHtml(response, 303, '', { headers: { ...result.headers, Location: result.location } });
  } else if (result instanceof StaticFile) {
    sendText(response, result.contentType, result.text);
  } else if (result instanceof HtmlPage) {
    const { status = 200, ...options } = result.options;
    sendHtml(response, status, renderHtml(result.document), options);
  } else if (isValidElement(result)) {
    sendHtml(response, 200, renderHtml(result));
  } else {
    throw new TypeError('A handler of an HTML route must return an HtmlResponse.');
  }
}
