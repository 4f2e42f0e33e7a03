import { StaticFile } from '../../http/responses/html-response.js';
import { ACTIONS } from '../styles/actions.js';
import { BASE } from '../styles/base.js';
import { CHART } from '../styles/chart.js';
import { CONTENT } from '../styles/content.js';
import { FORMS } from '../styles/forms.js';
import { LAYOUT } from '../styles/layout.js';
import { TABLE } from '../styles/table.js';

export const STYLESHEET_PATH = 'console.css';

export const STYLESHEET = new StaticFile(
  'text/css; charset=utf-8',
  BASE + LAYOUT + FORMS + ACTIONS + CONTENT + TABLE + CHART,
);

export const STYLESHEET_URL = `/console/${STYLESHEET_PATH}${STYLESHEET.version}`;
