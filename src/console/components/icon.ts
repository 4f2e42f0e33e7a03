import { StaticFile } from '../../http/responses/html-response.js';

export const ICON_PATH = 'console.svg';

/** A letter that is held back. */
export const ICON = new StaticFile(
  'image/svg+xml',
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
  <rect width="32" height="32" rx="7" fill="#2347b5"/>
  <path d="M7 11h18v11H7zl9 6.500 9-6.500" fill="none" stroke="#fff" stroke-width="2" stroke-linejoin="round"/>
  <path d="M5 27 27 5" stroke="#fff" stroke-width="2.500"/>
</svg>
`,
);

export const ICON_URL = `/console/${ICON_PATH}${ICON.version}`;
