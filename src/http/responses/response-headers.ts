const COMMON_HEADERS = [
  // Responses hold personal data, and are outdated as soon as somebody changes the list.
  ['Cache-Control', 'no-store'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
] as const;

export const SECURITY_HEADERS = [
  ...COMMON_HEADERS,
  ['Referrer-Policy', 'no-referrer'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
] as const;

const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const PAGE_HEADERS = [
  ...COMMON_HEADERS,
  // With no-referrer, browsers would send `Origin: null` with the forms of our own pages (Fetch, section 3.2).
  ['Referrer-Policy', 'same-origin'],
  ['X-Robots-Tag', 'noindex, nofollow'],
] as const;

const FILE_HEADERS = [
  ['Cache-Control', 'public, max-age=31536000, immutable'],
  ...SECURITY_HEADERS.filter(([name]) => name !== 'Cache-Control'),
] as const;

export const SECURITY_HEADERS_FLAT = SECURITY_HEADERS.flat();
export const FILE_HEADERS_FLAT = FILE_HEADERS.flat();
export const PAGE_HEADERS_FLAT = [...PAGE_HEADERS, ['Content-Security-Policy', PAGE_POLICY]].flat();

export const SCRIPTED_PAGE_HEADERS_FLAT = [
  ...PAGE_HEADERS,
  ['Content-Security-Policy', `${PAGE_POLICY}; script-src 'self'; connect-src 'self'`],
].flat();
