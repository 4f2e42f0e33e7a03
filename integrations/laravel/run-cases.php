<?php

/**
 * Runs the cases of cases.json against Laravel: see driver/runner.js. LARAVEL_AUTOLOAD names the vendor/autoload.php of a project
 * with Laravel 9 or newer. Without it, Debian's Laravel 8 is used, whose Mailer does not use Symfony Mailer yet. So this script then
 * does what the Mailer of Laravel 9 does: it fires Laravel's event, and hands the email to Symfony.
 */
use App\Listeners\CheckSuppressionList;
use App\Listeners\RecipientsSuppressed;
use App\Listeners\SuppressionListUnavailable;
use Illuminate\Config\Repository;
use Illuminate\Container\Container;
use Illuminate\Events\Dispatcher;
use Illuminate\Http\Client\Factory;
use Illuminate\Filesystem\Filesystem;
use Illuminate\Mail\Events\MessageSending;
use Illuminate\Mail\Mailer;
use Illuminate\Mail\Message;
use Illuminate\View\Engines\EngineResolver;
use Illuminate\View\Factory as ViewFactory;
use Illuminate\View\FileViewFinder;
use Symfony\Component\Mailer\Transport;
use Symfony\Component\Mime\Email;

// The packages of Laravel 8 use what newer versions of PHP advise against.
error_reporting(E_ALL & ~E_DEPRECATED);
if (getenv('LARAVEL_AUTOLOAD')) {
    require getenv('LARAVEL_AUTOLOAD');
} else {
    foreach (['Config', 'Container', 'Events', 'Http', 'Mail'] as $package) {
        require "Illuminate/$package/autoload.php";
    }
    require 'GuzzleHttp/autoload.php';
    require 'Symfony/Component/Mailer/autoload.php';
}
require __DIR__.'/CheckSuppressionList.php';

$logger = new class() extends Psr\Log\AbstractLogger {
    public function log($level, $message, array $context = []): void
    {
        fwrite(STDERR, "$message\n");
    }
};

function send(array $options, array $mail, array $smtp, Psr\Log\LoggerInterface $logger): void
{
    $names = ['apiKey' => 'api_key', 'onUnavailable' => 'on_unavailable', 'onSuppressed' => 'on_suppressed', 'timeoutMs' => 'timeout_ms'];
    foreach ($options as $name => $value) {
        $settings[$names[$name] ?? $name] = $value;
    }
    $container = new Container();
    $container->instance(Illuminate\Contracts\Config\Repository::class, new Repository(['services' => ['suppression_list' => $settings]]));
    $container->instance(Psr\Log\LoggerInterface::class, $logger);
    $events = new Dispatcher($container);
    $events->listen(MessageSending::class, CheckSuppressionList::class);

    $fill = function (Email $email) use ($mail): void {
        $email->from($mail['from'])->subject($mail['subject']);
        $email->to(...$mail['to'])->cc(...$mail['cc'])->bcc(...$mail['bcc']);
        foreach ($mail['headers'] as $name => $value) {
            $email->getHeaders()->addTextHeader($name, $value);
        }
    };
    $transport = Transport::fromDsn("smtp://{$smtp['host']}:{$smtp['port']}");
    if (getenv('LARAVEL_AUTOLOAD')) {
        $views = new ViewFactory(new EngineResolver(), new FileViewFinder(new Filesystem(), []), $events);
        $mailer = new Mailer('smtp', $views, $transport, $events);
        $mailer->raw($mail['text'], fn (Message $message) => $fill($message->getSymfonyMessage()));
    } else {
        $fill($email = (new Email())->text($mail['text']));
        if ($events->until(new MessageSending($email)) !== false) {
            $transport->send($email);
        }
    }
}

while ($line = fgets(STDIN)) {
    $case = json_decode($line, true);
    $answer = ['error' => null];
    try {
        send($case['options'], $case['mail'], $case['smtp'], $logger);
    } catch (RecipientsSuppressed $error) {
        $answer = ['error' => 'suppressed', 'message' => $error->getMessage()];
    } catch (SuppressionListUnavailable $error) {
        $answer = ['error' => 'unavailable', 'message' => $error->getMessage()];
    } catch (InvalidArgumentException $error) {
        $answer = ['error' => 'configuration', 'message' => $error->getMessage()];
    } catch (Throwable $error) {
        $answer = ['error' => (string) $error];
    }
    echo json_encode($answer)."\n";
}
