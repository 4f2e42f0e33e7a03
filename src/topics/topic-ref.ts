import { randomUUID } from 'node:crypto';
import { Invalid, parseId } from '../validation/parsers.js';

const MAX_LENGTH = 64;
const MAX_NUMBER = 20;
const RANDOM_DIGITS = 8;
/**
 * The database has the same constraint. Capitals are excluded, so that a key can be the label of a `List-Id` (RFC 2919, section
 * 3).
 */
const KEY = /^[a-z0-9.-]{1,64}$/;
const DIACRITIC = /\p{M}/gu;
/** Letters that Unicode does not decompose into one of ASCII. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
  ŧ: 't',
  ŋ: 'n',
  ə: 'e',
};
const ANY_OF_LETTERS = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');

/** A key that has the form of an id would be read as an id. */
export function parseTopicKey(input: unknown): string | Invalid {
  if (!(parseId(input) instanceof Invalid)) {
    return new Invalid('must not have the form of an id (a UUID)');
  }
  return typeof input === 'string' && KEY.test(input)
    ? input
    : new Invalid('must have 1 to 64 characters: lower-case letters, digits, dots and hyphens');
}

/** Makes a key from the name of a topic: `Épices & Thé` becomes `epices-the`. */
function topicKeyFrom(name: string): string {
  const words = name
    .normalize('NFKD')
    .replace(DIACRITIC, '')
    .toLowerCase()
    .replace(ANY_OF_LETTERS, (letter) => LETTERS[letter]!);
  const key =
    words
      .replace(/[^a-z0-9.]+/g, '-')
      .slice(0, MAX_LENGTH)
      .replace(/^[-.]+|[-.]+$/g, '') || 'topic';
  return parseId(key) instanceof Invalid ? key : `topic-${key}`;
}

/** Keys to try for topics of the same name: `news`, `news-2`, and so on. The last one is random, so it is free. */
export function* topicKeysFrom(name: string): Generator<string> {
  const key = topicKeyFrom(name);
  yield key;
  for (let number = 2; number <= MAX_NUMBER; number++) {
    yield withSuffix(key, String(number));
  }
  yield withSuffix(key, randomUUID().slice(0, RANDOM_DIGITS));
}

function withSuffix(key: string, suffix: string): string {
  return `${key.slice(0, MAX_LENGTH - 1 - suffix.length).replace(/[-.]+$/, '')}-${suffix}`;
}

/** How a caller names a topic: by its id or by its key. */
export type TopicRef = { id: string } | { key: string };

/** A key that looks like an id is read as an id. */
export function parseTopicRef(input: unknown): TopicRef | Invalid {
  const id = parseId(input);
  if (!(id instanceof Invalid)) {
    return { id };
  }
  const key = parseTopicKey(input);
  return key instanceof Invalid ? new Invalid('must be the id or the key of a topic') : { key };
}
