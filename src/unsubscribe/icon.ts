import { StaticFile } from '../http/responses/html-response.js';

/** A letter. Without an icon, browsers ask for /favicon.ico. */
export const ICON = new StaticFile(
  'image/svg+xml',
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
  <rect width="32" height="32" rx="7" fill="#1f4fd8"/>
  <path d="M7 10h18v13H7zl9 7 9-7" fill="none" stroke="#fff" stroke-width="2" stroke-linejoin="round"/>
</svg>
`,
);
