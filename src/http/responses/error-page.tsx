import { STATUS_CODES } from 'node:http';
import type { ApiError } from '../errors/api-error.js';
import { HtmlDocument } from './html-document.js';

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
