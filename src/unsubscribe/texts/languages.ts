import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { DE } from './de.js';
import { EN, type Messages } from './en.js';
import { ES } from './es.js';
import { FR } from './fr.js';
import { IT } from './it.js';
import { NL } from './nl.js';
import { PL } from './pl.js';
import { PT } from './pt.js';

/** The texts, keyed by the primary subtag of RFC 5646, so that one text serves all regions. */
const CATALOG = { de: DE, en: EN, es: ES, fr: FR, it: IT, nl: NL, pl: PL, pt: PT };

export type Language = keyof typeof CATALOG;

export const LANGUAGES = Object.keys(CATALOG) as Language[];

/** The query parameter of the page that chooses its language. */
export const LANGUAGE_PARAMETER = 'lang';

/**
 * The language in the URL of the page, or else the one that the recipient's browser ranks highest, or English. A region counts as
 * its language (RFC 4647, section 3.4): for `fr-CH, en;q=0.9`, French.
 */
export function languageOf(request: IncomingMessage): Language {
  const [, query] = request.url!.split('?', 2);
  const chosen = new URLSearchParams(query).getAll(LANGUAGE_PARAMETER);
  const wanted = [...chosen, ...(request as Request).acceptsLanguages()];
  const ranked = wanted.map((range) => range.toLowerCase().split('-', 1)[0]);
  const best = ranked.find((tag) => tag === '*' || LANGUAGES.some((language) => language === tag));
  return LANGUAGES.find((language) => language === best) ?? 'en';
}

export function messagesIn(language: Language): Messages {
  return CATALOG[language];
}
