import { createHash } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { ApiError } from '../errors/api-error.js';
import type { ResponseHeaders } from './response.js';

/**
 * The result of a handler of an HTML route: an `HtmlDocument` with status 200, an `HtmlPage` with another status or with
 * headers, a `SeeOther` after a form was handled, or a `StaticFile`.
 */
export type HtmlResponse = VNode | HtmlPage | SeeOther | StaticFile;

export class HtmlPage {
  /** @param options - `status` is 200 unless given */
  constructor(
    readonly document: VNode,
    readonly options: { status?: number; headers?: ResponseHeaders } = {},
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

/** The interval at which a page reloads if the browser does not run its script. */
const REFRESH_SECONDS = '3';

/** Control characters, and those that reverse the order of the characters that follow (Unicode Annex 9, section 2). */
const DISGUISES = /(?![\t\n\r])\p{Cc}|[\u202A-\u202E\u2066-\u2069]/gu;

interface HtmlDocumentProps {
  /** The language of the text, as in the `lang` attribute. */
  lang: string;
  title: string;
  /** The URL of the style sheet. The headers of a page allow no other style. */
  stylesheet?: string;
  /** The URL of an icon in SVG. */
  icon?: string;
  /** The URL of a script. The route must have `script: true`. */
  script?: string;
  /** Whether the script shows progress. Without the script, the page reloads. */
  isRunning?: boolean | undefined;
  children: ComponentChildren;
}

/** A full page. Everything between braces is escaped, in text and in attributes. */
export function HtmlDocument(props: HtmlDocumentProps) {
  const { lang, title, stylesheet, icon, script, isRunning, children } = props;
  return (
    <html lang={lang}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        {stylesheet && <link rel="stylesheet" href={stylesheet} />}
        {icon && <link rel="icon" type="image/svg+xml" href={icon} />}
        {script && <script type="module" src={script} />}
        {isRunning && (
          <noscript>
            <meta http-equiv="refresh" content={REFRESH_SECONDS} />
          </noscript>
        )}
      </head>
      <body>{children}</body>
    </html>
  );
}

export function renderHtml(document: VNode): string {
  const html = renderToString(document).replace(DISGUISES, '\u{FFFD}');
  return `<!doctype html>${html}\n`;
}

/** The page for a person whose request failed, unless the route has one of its own. */
export function ErrorPage({ statusCode, message }: ApiError) {
  const title = `${statusCode} ${STATUS_CODES[statusCode]}`;
  return (
    <HtmlDocument lang="en" title={title}>
      <h1>{title}</h1>
      <p>{message}</p>
    </HtmlDocument>
  );
}
