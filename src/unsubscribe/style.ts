import { readFileSync } from 'node:fs';
import { StaticFile } from '../http/responses/html-response.js';

export const STYLESHEET = new StaticFile(
  'text/css; charset=utf-8',
  readFileSync(new URL('./style.css', import.meta.url), 'utf8'),
);
