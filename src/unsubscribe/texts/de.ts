import type { Messages } from './en.js';

export const DE: Messages = {
  languageName: 'Deutsch',
  languageOfPage: 'Sprache dieser Seite',
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
  resubscribeText: (email) => `Auf Wunsch erhält ${email} wieder Mailings.`,
  resubscribe: 'Mailings wieder erhalten',
  nothingSelected: 'Es hat sich nichts geändert. Bitte wählen Sie unten aus, was Sie erhalten möchten.',
  askSender: 'Wenn Sie wieder Mailings erhalten möchten, wenden Sie sich bitte an den Absender.',
  preferencesTitle: 'Wählen Sie, was Sie erhalten',
  preferences: (email) => `Mailings an ${email}`,
  everything: 'Alles abbestellen',
  everythingHint: 'Beendet alle Mailings, unabhängig von der Auswahl oben.',
  save: 'Speichern',
  oneClick: 'Sie sind abgemeldet.',
  notFoundTitle: 'Dieser Link funktioniert nicht',
  notFound:
    'Vielleicht ist er unvollständig. Öffnen Sie den Abmeldelink noch einmal aus der Nachricht, oder kopieren Sie ihn vollständig.',
  busyTitle: 'Bitte versuchen Sie es gleich noch einmal',
  busy: 'Wir wissen nicht, ob Ihre Auswahl gespeichert wurde. Ihr Link bleibt gültig.',
  failedTitle: 'Etwas ist schiefgegangen',
  failed:
    'Ihre Auswahl wurde vielleicht nicht gespeichert. Bitte öffnen Sie den Abmeldelink in Ihrer Nachricht noch einmal.',
  notShown:
    'Diese Seite ist gerade nicht verfügbar. Es hat sich nichts geändert, und Ihr Link bleibt gültig.',
};
