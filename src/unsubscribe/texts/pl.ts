import type { Messages } from './en.js';

/** Impersonal, because the polite forms depend on the gender of the recipient. */
export const PL: Messages = {
  languageName: 'Polski',
  languageOfPage: 'Język tej strony',
  askTitle: (topic) =>
    topic === null ? 'Zrezygnować ze wszystkich mailingów?' : `Zrezygnować z subskrypcji „${topic}”?`,
  ask: (email, topic) =>
    `Po rezygnacji na adres ${email} nie będą już wysyłane ${topic === null ? 'żadne mailingi' : `wiadomości „${topic}”`}.`,
  doneTitle: 'Subskrypcja została anulowana',
  done: (email, topic) =>
    `Na adres ${email} nie będą już wysyłane ${topic === null ? 'żadne mailingi' : `wiadomości „${topic}”`}.`,
  undoneTitle: 'Subskrypcja została przywrócona',
  undone: (email, topic) =>
    `Na adres ${email} nadal będą wysyłane ${topic === null ? 'mailingi' : `wiadomości „${topic}”`}.`,
  takenBackTitle: 'Rezygnacja została cofnięta',
  takenBack: (email) => `Z innych powodów mailingi na adres ${email} mogą nadal nie być wysyłane.`,
  savedTitle: 'Wybór został zapisany',
  saved: (email) => `Od teraz obowiązuje dla adresu ${email}.`,
  necessaryMail: 'Nadal mogą przychodzić niezbędne wiadomości, na przykład dotyczące resetowania hasła.',
  unsubscribe: 'Zrezygnuj',
  undoQuestion: 'To była pomyłka?',
  undo: 'Cofnij',
  resubscribeTitle: 'Zmiana decyzji?',
  resubscribeText: (email) => `Mailingi mogą znowu przychodzić na adres ${email}.`,
  resubscribe: 'Wznów otrzymywanie mailingów',
  nothingSelected: 'Nic się nie zmieniło. Prosimy zaznaczyć poniżej, jakie wiadomości mają przychodzić.',
  askSender: 'Aby ponownie otrzymywać mailingi, prosimy skontaktować się z nadawcą.',
  preferencesTitle: 'Wybór otrzymywanych wiadomości',
  preferences: (email) => `Mailingi na adres ${email}`,
  everything: 'Rezygnacja ze wszystkiego',
  everythingHint: 'Kończy wszystkie mailingi, niezależnie od wyboru powyżej.',
  save: 'Zapisz',
  oneClick: 'Subskrypcja została anulowana.',
  notFoundTitle: 'Ten link nie działa',
  notFound:
    'Link może być niepełny. Prosimy ponownie otworzyć wiadomość i kliknąć link rezygnacji albo skopiować cały link.',
  busyTitle: 'Prosimy spróbować ponownie za chwilę',
  busy: 'Nie wiemy, czy wybór został zapisany. Link pozostaje ważny.',
  failedTitle: 'Wystąpił błąd',
  failed: 'Wybór mógł nie zostać zapisany. Prosimy ponownie kliknąć link rezygnacji w wiadomości.',
  notShown: 'Ta strona jest chwilowo niedostępna. Nic się nie zmieniło, a link pozostaje ważny.',
};
