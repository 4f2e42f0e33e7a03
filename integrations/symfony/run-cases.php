<?php

/** Runs the cases of cases.json against Symfony Mailer: see driver/runner.js. */
use App\Mailer\RecipientsSuppressedException;
use App\Mailer\SuppressionListTransport;
use App\Mailer\SuppressionListUnavailableException;
use Symfony\Component\HttpClient\HttpClient;
use Symfony\Component\Mailer\Mailer;
use Symfony\Component\Mailer\Transport;
use Symfony\Component\Mime\Email;

require 'Symfony/Component/Mailer/autoload.php';
require 'Symfony/Component/HttpClient/autoload.php';
require __DIR__.'/SuppressionListTransport.php';

$logger = new class() extends Psr\Log\AbstractLogger {
    public function log($level, $message, array $context = []): void
    {
        fwrite(STDERR, strtr($message, ['{reason}' => $context['reason'] ?? ''])."\n");
    }
};

while ($line = fgets(STDIN)) {
    $case = json_decode($line, true);
    $answer = ['error' => null];
    try {
        $smtp = Transport::fromDsn("smtp://{$case['smtp']['host']}:{$case['smtp']['port']}");
        $options = array_filter($case['options'], fn ($value) => null !== $value);
        $transport = new SuppressionListTransport($smtp, HttpClient::create(), ...$options, logger: $logger);
        $mail = $case['mail'];
        $email = (new Email())->from($mail['from'])->subject($mail['subject'])->text($mail['text']);
        $email->to(...$mail['to'])->cc(...$mail['cc'])->bcc(...$mail['bcc']);
        foreach ($mail['headers'] as $name => $value) {
            $email->getHeaders()->addTextHeader($name, $value);
        }
        (new Mailer($transport))->send($email);
    } catch (RecipientsSuppressedException $error) {
        $answer = ['error' => 'suppressed', 'message' => $error->getMessage()];
    } catch (SuppressionListUnavailableException $error) {
        $answer = ['error' => 'unavailable', 'message' => $error->getMessage()];
    } catch (InvalidArgumentException|ArgumentCountError $error) {
        $answer = ['error' => 'configuration', 'message' => $error->getMessage()];
    } catch (Throwable $error) {
        $answer = ['error' => (string) $error];
    }
    echo json_encode($answer)."\n";
}
