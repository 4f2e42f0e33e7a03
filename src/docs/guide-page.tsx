import { lexer } from 'marked';
import { ICON_URL } from '../console/components/assets.js';
import { Menus } from '../console/components/console-page.js';
import { STYLESHEET_URL } from '../console/styles/stylesheet.js';
import { HtmlDocument } from '../http/responses/html-response.js';
import { Markdown, plainText } from './markdown.js';

const OVERVIEW = '/docs/guides/README.md';
const LINKS = [
  [
    { path: OVERVIEW, label: 'Guides' },
    { path: '/docs/guides/concepts.md', label: 'Concepts' },
    { path: '/docs/guides/errors.md', label: 'Errors' },
  ],
  [
    { path: '/docs', label: 'API reference' },
    { path: '/console', label: 'Console' },
  ],
];

interface GuidePageProps {
  markdown: string;
  /** The path of the page. */
  path: string;
  urlOf(href: string): string | undefined;
}

/** A guide for people. It looks like a page of the console, but nobody has to sign in to read it. */
export function GuidePage({ markdown, path, urlOf }: GuidePageProps) {
  const [, title = 'Guides'] = /^# (.*)$/m.exec(markdown) ?? [];
  return (
    <HtmlDocument
      lang="en"
      title={`${plainText(title)} – Suppression list`}
      stylesheet={STYLESHEET_URL}
      icon={ICON_URL}
    >
      <a class="skip" href="#content">
        Skip to content
      </a>
      <div class="frame">
        <header class="bar">
          <p class="brand">
            <a href={OVERVIEW}>Suppression list</a>
          </p>
          <Menus label="Guides" links={LINKS} current={path} />
        </header>
        <main id="content" class="guide" tabIndex={-1}>
          <Markdown tokens={lexer(markdown)} urlOf={urlOf} />
        </main>
      </div>
    </HtmlDocument>
  );
}
