import type { Messages } from './en.js';

export const ES: Messages = {
  languageName: 'Español',
  languageOfPage: 'Idioma de esta página',
  askTitle: (topic) => `¿Darse de baja de ${topic === null ? 'todas las comunicaciones' : `«${topic}»`}?`,
  ask: (email, topic) =>
    `Si se da de baja, ${email} ya no recibirá ${topic === null ? 'ninguna comunicación' : `«${topic}»`}.`,
  doneTitle: 'Se ha dado de baja',
  done: (email, topic) =>
    `${email} ya no recibirá ${topic === null ? 'ninguna comunicación' : `«${topic}»`}.`,
  undoneTitle: 'Su suscripción vuelve a estar activa',
  undone: (email, topic) =>
    `${email} seguirá recibiendo ${topic === null ? 'las comunicaciones' : `«${topic}»`}.`,
  takenBackTitle: 'Se ha anulado su baja',
  takenBack: (email) => `Por otros motivos, es posible que ${email} siga sin recibir comunicaciones.`,
  savedTitle: 'Su elección se ha guardado',
  saved: (email) => `Se aplica a ${email} a partir de ahora.`,
  necessaryMail:
    'Es posible que siga recibiendo los mensajes necesarios, por ejemplo, para restablecer su contraseña.',
  unsubscribe: 'Darse de baja',
  undoQuestion: '¿Ha sido un error?',
  undo: 'Deshacer',
  resubscribeTitle: '¿Ha cambiado de opinión?',
  resubscribeText: (email) => `Puede volver a recibir comunicaciones en ${email}.`,
  resubscribe: 'Volver a recibir comunicaciones',
  nothingSelected: 'No ha cambiado nada. Seleccione abajo lo que desea recibir.',
  askSender: 'Si desea volver a recibir comunicaciones, póngase en contacto con el remitente.',
  preferencesTitle: 'Elija lo que desea recibir',
  preferences: (email) => `Comunicaciones enviadas a ${email}`,
  everything: 'Darse de baja de todo',
  everythingHint: 'Pone fin a todas las comunicaciones, sea cual sea la selección anterior.',
  save: 'Guardar',
  oneClick: 'Se ha dado de baja.',
  notFoundTitle: 'Este enlace no funciona',
  notFound:
    'Puede que esté incompleto. Abra de nuevo el mensaje y pulse su enlace de baja, o copie el enlace completo.',
  busyTitle: 'Vuelva a intentarlo en unos instantes',
  busy: 'No sabemos si su elección se ha guardado. Su enlace sigue siendo válido.',
  failedTitle: 'Se ha producido un error',
  failed: 'Es posible que su elección no se haya guardado. Vuelva a pulsar el enlace de baja de su mensaje.',
  notShown:
    'Esta página no está disponible en este momento. No ha cambiado nada, y su enlace sigue siendo válido.',
};
