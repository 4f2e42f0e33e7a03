import { StaticFile } from '../../http/responses/html-response.js';

export const ICON_PATH = 'console.svg';

/** A letter with a line through it. */
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

export const SCRIPT_PATH = 'console.js';

/** Sends a form once, and updates the progress of running work without a reload. The pages also work without this script. */
export const SCRIPT = new StaticFile(
  'text/javascript; charset=utf-8',
  `const PAUSE_MS = 1000;
const MAX_PAUSE_MS = 30000;
/** The person is signed out or has lost the role, or what the page shows was deleted. */
const GONE = [401, 403, 404];
let pauseMs = PAUSE_MS;
/** A reload would lose what the person enters in a form. */
let isEntering = false;
document.addEventListener('input', () => (isEntering = true));

async function refresh() {
  const shown = document.querySelector('[data-running]');
  if (!shown) {
    return;
  }
  const response = await fetchPage();
  if (GONE.includes(response?.status)) {
    show(response);
    return;
  }
  if (response?.ok) {
    const page = new DOMParser().parseFromString(response.text, 'text/html');
    const current = page.getElementById(shown.id);
    if (current?.dataset.running === undefined && !(current && isEntering)) {
      show(response);
      return;
    }
    shown.replaceWith(current);
  }
  pauseMs = response?.ok ? PAUSE_MS : Math.min(2 * pauseMs, MAX_PAUSE_MS);
  setTimeout(refresh, pauseMs);
}

/** Shows the page as it is now. If it is the response to a form, a reload would send the form again. */
function show({ redirected, url }) {
  if (redirected || document.querySelector('[role="alert"]')) {
    location.replace(url);
  } else {
    location.reload();
  }
}

/** Returns null if the service cannot be reached. */
async function fetchPage() {
  try {
    const response = await fetch(location.href);
    const { ok, status, redirected, url } = response;
    return { ok, status, redirected, url, text: await response.text() };
  } catch {
    return null;
  }
}

setTimeout(refresh, pauseMs);

/** As long as the service takes to respond. Afterwards, somebody may have stopped the request. */
const SENDING_MS = 5000;
const sent = new Set();

document.addEventListener('submit', (event) => {
  const form = event.target;
  if (form.method !== 'post') {
    return;
  }
  if (sent.has(form)) {
    event.preventDefault();
    return;
  }
  sent.add(form);
  setTimeout(() => sent.delete(form), SENDING_MS);
});

/** The browser has kept the page, and shows it again. */
addEventListener('pageshow', ({ persisted }) => persisted && sent.clear());
`,
);

export const SCRIPT_URL = `/console/${SCRIPT_PATH}${SCRIPT.version}`;
