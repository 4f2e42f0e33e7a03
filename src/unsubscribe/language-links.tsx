import { LANGUAGE_PARAMETER, LANGUAGES, messagesIn, type Language } from './texts/languages.js';

/**
 * Links to the page in the other languages. They consist of a query, so they keep the token, and the forms, which have no
 * `action`, keep the query.
 */
export function LanguageLinks({ language }: { language: Language }) {
  return (
    <nav class="hint" aria-label={messagesIn(language).languageOfPage}>
      <ul>
        {LANGUAGES.map((tag) => (
          <li key={tag} lang={tag}>
            {tag === language ? (
              <span aria-current="true">{messagesIn(tag).languageName}</span>
            ) : (
              <a href={`?${LANGUAGE_PARAMETER}=${tag}`} hreflang={tag}>
                {messagesIn(tag).languageName}
              </a>
            )}
          </li>
        ))}
      </ul>
    </nav>
  );
}
