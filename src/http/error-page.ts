import { STATUS_CODES } from 'node:http';
import type { ApiError } from './api-error.js';

/** The page for a person whose request failed. */
export function errorPage({ statusCode, message }: ApiError): string {
  const title = escapeHtml(`${statusCode} ${STATUS_CODES[statusCode]}`);
  return (
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title>` +
    `<meta name="viewport" content="width=device-width, initial-scale=1">` +
    `<h1>${title}</h1><p>${escapeHtml(message)}</p></html>\n`
  );
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
