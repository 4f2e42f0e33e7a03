/**
 * The integrations with the command that runs their cases, and a command that succeeds if their framework is installed.
 * Commands run in the folder integrations/.
 */
export const FRAMEWORKS = [
  {
    name: 'nodemailer',
    probe: 'node -e "require(\'nodemailer\')"',
    command: 'node nodemailer/run-cases.cjs',
    needs: 'nodemailer from npm',
  },
  {
    name: '@nestjs-modules/mailer',
    probe: 'node -e "require(\'nodemailer\')"',
    command: 'node nodemailer/run-cases.cjs --as-transport',
    needs: 'nodemailer from npm',
  },
  {
    name: 'Django',
    probe: '/usr/bin/python3 -c "import django"',
    command: '/usr/bin/python3 django/run_cases.py backend',
    needs: 'the Debian package python3-django',
    lacks: ['groups'],
  },
  {
    name: 'django-anymail, as the backend',
    probe: '/usr/bin/python3 -c "import anymail"',
    command: '/usr/bin/python3 django/run_cases.py anymail-backend',
    needs: 'the Debian package python3-django-anymail',
    lacks: ['groups'],
  },
  {
    name: 'django-anymail, with pre_send',
    probe: '/usr/bin/python3 -c "import anymail"',
    command: '/usr/bin/python3 django/run_cases.py anymail-pre-send',
    needs: 'the Debian package python3-django-anymail',
    lacks: ['groups'],
  },
];
