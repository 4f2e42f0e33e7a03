import type { Messages } from './en.js';

/** A narrow no-break space precedes `?` and `»`, and follows `«`. */
export const FR: Messages = {
  languageName: 'Français',
  languageOfPage: 'Langue de cette page',
  askTitle: (topic) =>
    topic === null
      ? 'Se désabonner de toutes les communications\u202f?'
      : `Se désabonner de ${quote(topic)}\u202f?`,
  ask: (email, topic) =>
    `Si vous vous désabonnez, ${email} ne recevra plus ${topic === null ? 'aucune communication' : quote(topic)}.`,
  doneTitle: 'Désabonnement confirmé',
  done: (email, topic) =>
    `${email} ne recevra plus ${topic === null ? 'aucune communication' : quote(topic)}.`,
  undoneTitle: 'Votre abonnement est rétabli',
  undone: (email, topic) =>
    `${email} continuera de recevoir ${topic === null ? 'les communications' : quote(topic)}.`,
  takenBackTitle: 'Votre désabonnement est annulé',
  takenBack: (email) =>
    `Pour d’autres raisons, il est possible que ${email} ne reçoive toujours aucune communication.`,
  savedTitle: 'Votre choix est enregistré',
  saved: (email) => `Il s’applique dès maintenant à ${email}.`,
  necessaryMail:
    'Vous pourrez toujours recevoir les messages indispensables, par exemple pour réinitialiser votre mot de passe.',
  unsubscribe: 'Se désabonner',
  undoQuestion: 'C’était une erreur\u202f?',
  undo: 'Annuler le désabonnement',
  resubscribeTitle: 'Vous avez changé d’avis\u202f?',
  resubscribeText: (email) => `Vous pouvez de nouveau recevoir des communications à l’adresse ${email}.`,
  resubscribe: 'Recevoir de nouveau les communications',
  nothingSelected: 'Rien n’a changé. Veuillez sélectionner ci-dessous ce que vous souhaitez recevoir.',
  askSender: 'Si vous souhaitez recevoir de nouveau ces communications, veuillez contacter l’expéditeur.',
  preferencesTitle: 'Choisissez ce que vous souhaitez recevoir',
  preferences: (email) => `Communications envoyées à ${email}`,
  everything: 'Se désabonner de tout',
  everythingHint: 'Met fin à toutes les communications, quels que soient vos choix ci-dessus.',
  save: 'Enregistrer',
  oneClick: 'Votre désabonnement est confirmé.',
  notFoundTitle: 'Ce lien ne fonctionne pas',
  notFound:
    'Il est peut-être incomplet. Ouvrez de nouveau le message et cliquez sur son lien de désabonnement, ou copiez le lien en entier.',
  busyTitle: 'Veuillez réessayer dans un instant',
  busy: 'Nous ne savons pas si votre choix a été enregistré. Votre lien reste valable.',
  failedTitle: 'Une erreur s’est produite',
  failed:
    'Votre choix n’a peut-être pas été enregistré. Veuillez cliquer de nouveau sur le lien de désabonnement de votre message.',
  notShown: 'Cette page n’est pas disponible pour le moment. Rien n’a changé, et votre lien reste valable.',
};

function quote(topic: string): string {
  return `«\u202f${topic}\u202f»`;
}
