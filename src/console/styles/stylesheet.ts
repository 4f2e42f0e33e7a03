import { readFileSync } from 'node:fs';
import { StaticFile } from '../../http/responses/html-response.js';

export const STYLESHEET_PATH = 'console.css';

export const STYLESHEET = new StaticFile(
  'text/css; charset=utf-8',
  [
    readFileSync(new URL('./base.css', import.meta.url), 'utf8'),
    readFileSync(new URL('./layout.css', import.meta.url), 'utf8'),
    readFileSync(new URL('./forms.css', import.meta.url), 'utf8'),
    readFileSync(new URL('./actions.css', import.meta.url), 'utf8'),
    readFileSync(new URL('./content.css', import.meta.url), 'utf8'),
    readFileSync(new URL('./table.css', import.meta.url), 'utf8'),
    readFileSync(new URL('./chart.css', import.meta.url), 'utf8'),
  ]
    .join('')
    .replaceAll(/\n +/g, '\n'),
);

export const STYLESHEET_URL = `/console/${STYLESHEET_PATH}${STYLESHEET.version}`;
