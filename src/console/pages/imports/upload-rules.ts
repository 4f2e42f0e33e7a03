import { ValidationError } from '../../../http/errors/errors.js';
import type { FormProblem, FormRules } from '../../../http/body/multipart-file.js';

const CHOOSE_FILE = 'Choose a file.';

const PROBLEMS: Record<FormProblem, string> = {
  incomplete: 'The form did not arrive completely. Choose the file again, and send the form once more.',
  'no boundary': CHOOSE_FILE,
  'no file': CHOOSE_FILE,
  'other part':
    'Send one file, in the field of the form for it. Reload the page, and fill in the form again.',
  'long value': 'A field of the form is too long. Shorten it, and send the form again.',
};

export const UPLOAD_RULES: FormRules = {
  maxFields: 20,
  refusal: (problem) => ValidationError.ofRequest(PROBLEMS[problem]),
};
