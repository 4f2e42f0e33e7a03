import type { Messages } from './en.js';

/** Without words that differ between Brazil and Portugal, such as those for "save", "contact", and "password". */
export const PT: Messages = {
  languageName: 'Português',
  languageOfPage: 'Idioma desta página',
  askTitle: (topic) => `Deixar de receber ${topic === null ? 'todas as comunicações' : `“${topic}”`}?`,
  ask: (email, topic) =>
    `Se confirmar, ${email} deixará de receber ${topic === null ? 'comunicações' : `“${topic}”`}.`,
  doneTitle: 'Cancelamento confirmado',
  done: (email, topic) => `${email} deixará de receber ${topic === null ? 'comunicações' : `“${topic}”`}.`,
  undoneTitle: 'O envio foi retomado',
  undone: (email, topic) =>
    `${email} continuará a receber ${topic === null ? 'comunicações' : `“${topic}”`}.`,
  takenBackTitle: 'O cancelamento foi desfeito',
  takenBack: (email) => `Por outros motivos, é possível que ${email} continue sem receber comunicações.`,
  savedTitle: 'A sua escolha está confirmada',
  saved: (email) => `É válida para ${email} a partir de agora.`,
  necessaryMail:
    'Ainda poderá receber mensagens necessárias, por exemplo, para recuperar o acesso à sua conta.',
  unsubscribe: 'Deixar de receber',
  undoQuestion: 'Foi um engano?',
  undo: 'Desfazer',
  resubscribeTitle: 'Mudou de ideia?',
  resubscribeText: (email) => `É possível voltar a receber comunicações em ${email}.`,
  resubscribe: 'Voltar a receber comunicações',
  nothingSelected: 'Nada mudou. Selecione abaixo o que deseja receber.',
  askSender: 'Se quiser voltar a receber comunicações, escreva ao remetente.',
  preferencesTitle: 'Escolha o que deseja receber',
  preferences: (email) => `Comunicações enviadas para ${email}`,
  everything: 'Deixar de receber tudo',
  everythingHint: 'Põe fim a todas as comunicações, independentemente da seleção acima.',
  save: 'Confirmar',
  oneClick: 'O cancelamento está confirmado.',
  notFoundTitle: 'Este link não funciona',
  notFound:
    'Talvez esteja incompleto. Abra novamente a mensagem e siga o link de cancelamento, ou copie o link completo.',
  busyTitle: 'Tente novamente dentro de instantes',
  busy: 'Não sabemos se a sua escolha foi confirmada. O link continua válido.',
  failedTitle: 'Ocorreu um erro',
  failed:
    'É possível que a sua escolha não tenha sido confirmada. Siga novamente o link de cancelamento da sua mensagem.',
  notShown: 'Esta página não está disponível neste momento. Nada mudou, e o link continua válido.',
};
