import type { Messages } from './en.js';

export const IT: Messages = {
  languageName: 'Italiano',
  languageOfPage: 'Lingua di questa pagina',
  askTitle: (topic) =>
    `Cancellare l’iscrizione a ${topic === null ? 'tutte le comunicazioni' : `«${topic}»`}?`,
  ask: (email, topic) =>
    `Se cancella l’iscrizione, ${email} non riceverà più ${topic === null ? 'alcuna comunicazione' : `«${topic}»`}.`,
  doneTitle: 'Iscrizione cancellata',
  done: (email, topic) =>
    `${email} non riceverà più ${topic === null ? 'alcuna comunicazione' : `«${topic}»`}.`,
  undoneTitle: 'Iscrizione ripristinata',
  undone: (email, topic) =>
    `${email} continuerà a ricevere ${topic === null ? 'le comunicazioni' : `«${topic}»`}.`,
  takenBackTitle: 'La cancellazione è stata annullata',
  takenBack: (email) => `Per altri motivi, ${email} potrebbe continuare a non ricevere comunicazioni.`,
  savedTitle: 'La sua scelta è stata salvata',
  saved: (email) => `Vale da subito per ${email}.`,
  necessaryMail:
    'Potrebbe comunque ricevere i messaggi necessari, ad esempio quelli per reimpostare la password.',
  unsubscribe: 'Cancella l’iscrizione',
  undoQuestion: 'È stato un errore?',
  undo: 'Ripristina l’iscrizione',
  resubscribeTitle: 'Ha cambiato idea?',
  resubscribeText: (email) => `Può tornare a ricevere le comunicazioni all’indirizzo ${email}.`,
  resubscribe: 'Torna a ricevere le comunicazioni',
  nothingSelected: 'Nulla è cambiato. Selezioni qui sotto che cosa desidera ricevere.',
  askSender: 'Se desidera ricevere di nuovo le comunicazioni, contatti il mittente.',
  preferencesTitle: 'Scelga che cosa ricevere',
  preferences: (email) => `Comunicazioni inviate a ${email}`,
  everything: 'Cancella l’iscrizione a tutto',
  everythingHint: 'Interrompe tutte le comunicazioni, qualunque sia la selezione qui sopra.',
  save: 'Salva',
  oneClick: 'L’iscrizione è stata cancellata.',
  notFoundTitle: 'Questo link non funziona',
  notFound:
    'Potrebbe essere incompleto. Apra di nuovo il messaggio e segua il link per cancellare l’iscrizione, oppure copi l’intero link.',
  busyTitle: 'Riprovi tra qualche istante',
  busy: 'Non sappiamo se la sua scelta sia stata salvata. Il link rimane valido.',
  failedTitle: 'Si è verificato un errore',
  failed:
    'La sua scelta potrebbe non essere stata salvata. Segua di nuovo il link per cancellare l’iscrizione che trova nel messaggio.',
  notShown: 'Questa pagina al momento non è disponibile. Nulla è cambiato e il link rimane valido.',
};
