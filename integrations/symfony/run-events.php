<?php

/** Runs the events of cases.json against Symfony's webhooks: see driver/runner.js. */
use App\RemoteEvent\ReportToSuppressionList;
use Symfony\Component\HttpClient\HttpClient;
use Symfony\Component\Mailer\Bridge\Postmark\RemoteEvent\PostmarkPayloadConverter;
use Symfony\Component\RemoteEvent\Event\Mailer\MailerDeliveryEvent;

require 'Symfony/Component/HttpClient/autoload.php';
[$remoteEvent, $postmark] = explode(':', getenv('SYMFONY_WEBHOOK_COMPONENTS'));
foreach ([
    "$remoteEvent/RemoteEvent.php",
    "$remoteEvent/PayloadConverterInterface.php",
    "$remoteEvent/Consumer/ConsumerInterface.php",
    "$remoteEvent/Event/Mailer/AbstractMailerEvent.php",
    "$remoteEvent/Event/Mailer/MailerDeliveryEvent.php",
    "$remoteEvent/Event/Mailer/MailerEngagementEvent.php",
    "$postmark/RemoteEvent/PostmarkPayloadConverter.php",
    __DIR__.'/ReportToSuppressionList.php',
] as $file) {
    require $file;
}

while ($line = fgets(STDIN)) {
    $question = json_decode($line, true);
    $answer = ['error' => null];
    try {
        $reporter = new ReportToSuppressionList(HttpClient::create(), $question['url'], $question['apiKey']);
        if (isset($question['symfony'])) {
            $event = new MailerDeliveryEvent('bounce', 'id', $question['symfony']['payload']);
            $event->setDate(new DateTimeImmutable());
            $event->setRecipientEmail($question['symfony']['recipient']);
        } else {
            $event = (new PostmarkPayloadConverter())->convert($question['postmark']);
        }
        $reporter->consume($event);
    } catch (Throwable $error) {
        $answer = ['error' => (string) $error];
    }
    echo json_encode($answer)."\n";
}
