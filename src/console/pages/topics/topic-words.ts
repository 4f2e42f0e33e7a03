export const VISIBILITIES = [
  { value: 'public', label: 'Everybody sees it on the preference page' },
  { value: 'private', label: 'Only those who opted in see it' },
];

export const DEFAULTS = [
  { value: 'opt_in', label: 'Everybody gets it unless they opt out' },
  { value: 'opt_out', label: 'Only those who opted in' },
];
