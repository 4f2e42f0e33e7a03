/**
 * CI can install only the first one. An integration that is `notPackaged` may be skipped. Without `options by name`, the language
 * itself refuses unknown options.
 */
const RESEND_CLIENTS = [
  {
    name: 'Resend for Node.js',
    probe: 'node -e "require(\'resend\')"',
    command: 'node resend/run-cases.cjs',
    needs: 'resend from npm',
    lacks: ['groups'],
  },
  {
    name: 'Resend for Python',
    probe: '/usr/bin/python3 -c "from resend import Emails"',
    command: '/usr/bin/python3 resend/run_cases.py',
    needs: 'resend from PyPI',
    notPackaged: true,
    lacks: ['groups'],
  },
  {
    name: 'Resend for PHP',
    probe: "php -r \"require getenv('RESEND_PHP_AUTOLOAD'); class_exists('Resend') or exit(1);\"",
    command: 'php resend/run-cases.php',
    needs: 'resend/resend-php from Packagist (RESEND_PHP_AUTOLOAD names its vendor/autoload.php)',
    notPackaged: true,
    lacks: ['groups', 'options by name'],
  },
  {
    name: 'Resend for Ruby',
    probe: '/usr/bin/ruby -e "require \'resend\'"',
    command: '/usr/bin/ruby resend/run_cases.rb',
    needs: 'the gem resend',
    notPackaged: true,
    lacks: ['groups'],
  },
  {
    name: 'Resend for Go',
    probe: 'GOPROXY=off go list -m github.com/resend/resend-go/v3@v3.12.0',
    command: 'resend/go/run-cases',
    needs: 'the module github.com/resend/resend-go/v3@v3.12.0 in the module cache',
    notPackaged: true,
    lacks: ['groups', 'options by name'],
  },
];

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
    name: 'nodemailer, recipients in headers',
    probe: 'node -e "require(\'nodemailer\')"',
    command: 'node nodemailer/run-cases.cjs --in-headers',
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
    name: 'Django, with messages as of version 6',
    probe: '/usr/bin/python3 -c "import django"',
    command: '/usr/bin/python3 django/run_cases.py backend-6',
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
  {
    name: 'Rails',
    probe: '/usr/bin/ruby -e "require \'action_mailer\'"',
    command: '/usr/bin/ruby rails/run_cases.rb',
    needs: 'the Debian package ruby-actionmailer',
  },
  {
    name: 'Rails, deliver_now!',
    probe: '/usr/bin/ruby -e "require \'action_mailer\'"',
    command: '/usr/bin/ruby rails/run_cases.rb deliver_now!',
    needs: 'the Debian package ruby-actionmailer',
  },
  {
    name: 'Symfony Mailer',
    probe:
      "php -r \"require 'Symfony/Component/Mailer/autoload.php'; require 'Symfony/Component/HttpClient/autoload.php';\"",
    command: 'php symfony/run-cases.php',
    needs: 'the Debian packages php-cli, php-symfony-mailer, and php-symfony-http-client',
    lacks: ['groups', 'options by name'],
  },
  {
    name: 'Laravel 9 and newer',
    probe: 'php -r "require getenv(\'LARAVEL_AUTOLOAD\');"',
    command: 'php laravel/run-cases.php',
    needs: 'laravel/framework from Packagist (LARAVEL_AUTOLOAD names the vendor/autoload.php of a project)',
    notPackaged: true,
    lacks: ['groups'],
  },
  {
    name: 'Laravel 8',
    probe:
      "php -r \"require 'Illuminate/Config/autoload.php'; require 'Illuminate/Mail/autoload.php'; require 'Illuminate/Http/autoload.php'; require 'GuzzleHttp/autoload.php'; function_exists('curl_init') or exit(1);\"",
    command: 'env -u LARAVEL_AUTOLOAD php laravel/run-cases.php',
    needs:
      'the Debian packages php-cli, php-curl, php-guzzlehttp-guzzle, php-illuminate-{config,events,http,mail}, and php-symfony-mailer',
    lacks: ['groups'],
  },
  {
    name: 'Go',
    probe: 'go version',
    command: 'sh -c "cd go && exec go run ./run-cases"',
    needs: 'the Debian package golang-go',
    lacks: ['groups', 'options by name'],
    // net/smtp takes the recipients and the text of the email apart.
    keepsHeaders: true,
  },
  {
    name: 'Spring 4, migrated to Jakarta Mail',
    probe:
      'javac -version && command -v javax2jakarta && cd /usr/share/java && ls spring3-context.support.jar jakarta-mail.jar gson.jar',
    command: 'env -u SPRING_CLASSPATH spring/run-cases',
    needs:
      'the Debian packages default-jdk-headless, libspring-context-support-java, libjakarta-mail-java, tomcat-jakartaee-migration, and libgoogle-gson-java',
    lacks: ['options by name'],
  },
  {
    name: 'Spring 6 and newer',
    probe: 'test -n "$SPRING_CLASSPATH" && ls /usr/share/java/gson.jar',
    command: 'spring/run-cases',
    needs: 'Spring 6 from Maven (SPRING_CLASSPATH names its jars)',
    notPackaged: true,
    lacks: ['options by name'],
  },
  ...RESEND_CLIENTS.flatMap((client) => [
    client,
    {
      ...client,
      name: `${client.name}, in a batch`,
      command: `${client.command} --batch`,
    },
  ]),
];

/** The integrations that report what webhooks of providers say, in the same form. */
export const REPORTERS = [
  {
    name: 'events of django-anymail',
    probe: '/usr/bin/python3 -c "import anymail"',
    command: '/usr/bin/python3 django/run_events.py',
    needs: 'the Debian package python3-django-anymail',
    reads: 'anymail',
  },
  {
    name: 'events of Symfony',
    probe: 'test -n "$SYMFONY_WEBHOOK_COMPONENTS"',
    command: 'php symfony/run-events.php',
    needs:
      'php-symfony-http-client, and the components remote-event and postmark-mailer, which Debian lacks (SYMFONY_WEBHOOK_COMPONENTS names their folders)',
    notPackaged: true,
    reads: 'symfony',
  },
];
