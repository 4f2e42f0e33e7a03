import type { Messages } from './messages.js';

export const NL: Messages = {
  askTitle: (topic) => `Afmelden voor ${topic === null ? 'alle mailings' : `‘${topic}’`}?`,
  ask: (email, topic) =>
    `${email} ontvangt dan ${topic === null ? 'geen mailings' : `‘${topic}’ niet`} meer.`,
  doneTitle: 'U bent afgemeld',
  done: (email, topic) => `${email} ontvangt ${topic === null ? 'geen mailings' : `‘${topic}’ niet`} meer.`,
  undoneTitle: 'U bent weer aangemeld',
  undone: (email, topic) => `${email} blijft ${topic === null ? 'mailings' : `‘${topic}’`} ontvangen.`,
  takenBackTitle: 'Uw afmelding is ongedaan gemaakt',
  takenBack: (email) => `Om andere redenen ontvangt ${email} mogelijk nog steeds geen mailings.`,
  savedTitle: 'Uw keuze is opgeslagen',
  saved: (email) => `Deze geldt vanaf nu voor ${email}.`,
  necessaryMail:
    'Noodzakelijke berichten, bijvoorbeeld om uw wachtwoord opnieuw in te stellen, kunt u nog wel ontvangen.',
  unsubscribe: 'Afmelden',
  undoQuestion: 'Was dit een vergissing?',
  undo: 'Ongedaan maken',
  resubscribeTitle: 'Bent u van gedachten veranderd?',
  resubscribeText: (email) => `U kunt op ${email} weer mailings ontvangen.`,
  resubscribe: 'Weer mailings ontvangen',
  nothingSelected: 'Er is niets veranderd. Selecteer hieronder wat u wilt ontvangen.',
  askSender: 'Neem contact op met de afzender als u weer mailings wilt ontvangen.',
  preferencesTitle: 'Kies wat u wilt ontvangen',
  preferences: (email) => `Mailings aan ${email}`,
  everything: 'Voor alles afmelden',
  everythingHint: 'Beëindigt alle mailings, ongeacht uw keuze hierboven.',
  save: 'Opslaan',
  oneClick: 'U bent afgemeld.',
  notFoundTitle: 'Deze link werkt niet',
  notFound:
    'Mogelijk is de link onvolledig. Open het bericht opnieuw en klik op de afmeldlink, of kopieer de volledige link.',
  busyTitle: 'Probeer het zo meteen opnieuw',
  busy: 'We weten niet of uw keuze is opgeslagen. Uw link blijft geldig.',
  failedTitle: 'Er is iets misgegaan',
  failed: 'Uw keuze is mogelijk niet opgeslagen. Klik nogmaals op de afmeldlink in uw bericht.',
  notShown: 'Deze pagina is op dit moment niet beschikbaar. Er is niets veranderd en uw link blijft geldig.',
};
