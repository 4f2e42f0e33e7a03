import { StaticFile } from '../../http/html-response.js';

export const SCRIPT_PATH = 'console.js';

/** Shows the progress of what is under way without a reload. The pages work without it. */
export const SCRIPT = new StaticFile(
  'text/javascript; charset=utf-8',
  `const PAUSE_MS = 1000;

async function refresh() {
  const shown = document.querySelector('[data-running]');
  if (!shown) {
    return;
  }
  try {
    const response = await fetch(location.href);
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const current = page.getElementById(shown.id);
    if (response.ok && current?.dataset.running === undefined) {
      location.reload();
    } else if (response.ok) {
      shown.replaceWith(current);
    }
  } finally {
    setTimeout(refresh, PAUSE_MS);
  }
}

setTimeout(refresh, PAUSE_MS);
`,
);

export const SCRIPT_URL = `/console/${SCRIPT_PATH}${SCRIPT.version}`;
