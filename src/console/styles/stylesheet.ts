import { readFileSync } from 'node:fs';
import { StaticFile } from '../../http/responses/html-response.js';

export const STYLESHEET_PATH = 'console.css';

const STACKED_TABLE = readFileSync(new URL('./stacked-table.css', import.meta.url), 'utf8');

/** The rows of a table become cards where it is narrow. */
function stackedBelow(width: string, table: string): string {
  return `@container (max-width: ${width}) {\n${table} {\n${STACKED_TABLE}}\n}\n`;
}

export const STYLESHEET = new StaticFile(
  'text/css; charset=utf-8',
  [
    readFileSync(new URL('./base.css', import.meta.url), 'utf8'),
    readFileSync(new URL('./layout.css', import.meta.url), 'utf8'),
    readFileSync(new URL('./forms.css', import.meta.url), 'utf8'),
    readFileSync(new URL('./actions.css', import.meta.url), 'utf8'),
    readFileSync(new URL('./content.css', import.meta.url), 'utf8'),
    readFileSync(new URL('./table.css', import.meta.url), 'utf8'),
    stackedBelow('33rem', '.few'),
    stackedBelow('42rem', '.many'),
    readFileSync(new URL('./chart.css', import.meta.url), 'utf8'),
  ]
    .join('')
    .replaceAll(/\n +/g, '\n'),
);

export const STYLESHEET_URL = `/console/${STYLESHEET_PATH}${STYLESHEET.version}`;
