import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';

/** Every text that a recipient reads. A subject is the name of a topic; null stands for all mailings. */
export interface Messages {
  askTitle(topic: string | null): string;
  ask(email: string, topic: string | null): string;
  doneTitle: string;
  done(email: string, topic: string | null): string;
  undoneTitle: string;
  undone(email: string, topic: string | null): string;
  /** Shown if the recipient is still on the list for another reason. */
  takenBackTitle: string;
  takenBack(email: string): string;
  savedTitle: string;
  saved(email: string): string;
  necessaryMail: string;
  unsubscribe: string;
  undoQuestion: string;
  undo: string;
  /** The way back for somebody who unsubscribed from everything, but not by this link. */
  resubscribeTitle: string;
  resubscribeText(email: string): string;
  resubscribe: string;
  /** Shown instead to somebody who also complained. */
  askSender: string;
  preferencesTitle: string;
  preferences(email: string): string;
  everything: string;
  everythingHint: string;
  save: string;
  oneClick: string;
  notFoundTitle: string;
  notFound: string;
  busyTitle: string;
  busy: string;
  failedTitle: string;
  failed: string;
  /** Shown for an error of the page itself, before any button was pressed. */
  notShown: string;
}

const EN: Messages = {
  askTitle: (topic) => (topic === null ? 'Unsubscribe from all mailings?' : `Unsubscribe from ${topic}?`),
  ask: (email, topic) => `${email} will no longer receive ${topic ?? 'any mailings'}.`,
  doneTitle: 'You are unsubscribed',
  done: (email, topic) => `${email} will no longer receive ${topic ?? 'any mailings'}.`,
  undoneTitle: 'You are subscribed again',
  undone: (email, topic) => `${email} will keep receiving ${topic ?? 'mailings'}.`,
  takenBackTitle: 'Your unsubscribe is undone',
  takenBack: (email) => `For other reasons, ${email} may still receive no mailings.`,
  savedTitle: 'Your choice is saved',
  saved: (email) => `It applies to ${email} from now on.`,
  necessaryMail: 'Messages that you need, such as a password reset, may still reach you.',
  unsubscribe: 'Unsubscribe',
  undoQuestion: 'Was this a mistake?',
  undo: 'Undo',
  resubscribeTitle: 'Changed your mind?',
  resubscribeText: (email) => `You can have mailings sent to ${email} again.`,
  resubscribe: 'Receive mailings again',
  askSender: 'If you want to receive mailings again, please contact the sender.',
  preferencesTitle: 'Choose what you receive',
  preferences: (email) => `Mailings to ${email}`,
  everything: 'Unsubscribe from everything',
  everythingHint: 'Ends all mailings, whatever is selected above.',
  save: 'Save',
  oneClick: 'You are unsubscribed.',
  notFoundTitle: 'This link does not work',
  notFound:
    'It may be incomplete. Open the message again and follow its unsubscribe link, or copy the whole link.',
  busyTitle: 'Please try again in a moment',
  busy: 'We cannot tell whether your choice was saved. Your link remains valid.',
  failedTitle: 'Something went wrong',
  failed: 'Your choice may not have been saved. Please follow the unsubscribe link in your message again.',
  notShown: 'This page is not available right now. Nothing has changed, and your link remains valid.',
};

const DE: Messages = {
  askTitle: (topic) => (topic === null ? 'Alle Mailings abbestellen?' : `${topic} abbestellen?`),
  ask: (email, topic) =>
    `${email} erhält dann ${topic === null ? 'keine Mailings' : `„${topic}“ nicht`} mehr.`,
  doneTitle: 'Sie sind abgemeldet',
  done: (email, topic) => `${email} erhält ${topic === null ? 'keine Mailings' : `„${topic}“ nicht`} mehr.`,
  undoneTitle: 'Sie sind wieder angemeldet',
  undone: (email, topic) => `${email} erhält ${topic === null ? 'Mailings' : `„${topic}“`} weiterhin.`,
  takenBackTitle: 'Ihre Abmeldung ist zurückgenommen',
  takenBack: (email) => `Aus anderen Gründen erhält ${email} möglicherweise weiterhin keine Mailings.`,
  savedTitle: 'Ihre Auswahl ist gespeichert',
  saved: (email) => `Sie gilt ab sofort für ${email}.`,
  necessaryMail:
    'Notwendige Nachrichten, zum Beispiel zum Zurücksetzen des Passworts, können Sie weiterhin erreichen.',
  unsubscribe: 'Abbestellen',
  undoQuestion: 'War das ein Versehen?',
  undo: 'Rückgängig machen',
  resubscribeTitle: 'Haben Sie es sich anders überlegt?',
  resubscribeText: (email) => `Sie können Mailings an ${email} wieder erhalten.`,
  resubscribe: 'Mailings wieder erhalten',
  askSender: 'Wenn Sie wieder Mailings erhalten möchten, wenden Sie sich bitte an den Absender.',
  preferencesTitle: 'Wählen Sie, was Sie erhalten',
  preferences: (email) => `Mailings an ${email}`,
  everything: 'Alles abbestellen',
  everythingHint: 'Beendet alle Mailings, unabhängig von der Auswahl oben.',
  save: 'Speichern',
  oneClick: 'Sie sind abgemeldet.',
  notFoundTitle: 'Dieser Link funktioniert nicht',
  notFound:
    'Vielleicht ist er unvollständig. Öffnen Sie den Abmeldelink noch einmal aus der Nachricht, oder kopieren Sie ihn ganz.',
  busyTitle: 'Bitte versuchen Sie es gleich noch einmal',
  busy: 'Wir wissen nicht, ob Ihre Auswahl gespeichert wurde. Ihr Link bleibt gültig.',
  failedTitle: 'Etwas ist schiefgegangen',
  failed:
    'Ihre Auswahl wurde vielleicht nicht gespeichert. Bitte öffnen Sie den Abmeldelink in Ihrer Nachricht noch einmal.',
  notShown:
    'Diese Seite ist gerade nicht verfügbar. Es hat sich nichts geändert, und Ihr Link bleibt gültig.',
};

const CATALOGUE = { en: EN, de: DE };

export type Language = keyof typeof CATALOGUE;

export const LANGUAGES = Object.keys(CATALOGUE) as Language[];

/** The language that the recipient's browser prefers, or English. */
export function languageOf(request: IncomingMessage): Language {
  return ((request as Request).acceptsLanguages(LANGUAGES) || 'en') as Language;
}

export function messagesIn(language: Language): Messages {
  return CATALOGUE[language];
}
