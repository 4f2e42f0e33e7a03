<?php

/** Runs the events of cases.json against Symfony's webhooks: see driver/runner.js. */
use App\RemoteEvent\ReportToSuppressionList;
use Symfony\Component\HttpClient\HttpClient;
use Symfony\Component\Mailer\Bridge\Postmark\RemoteEvent\PostmarkPayloadConverter;

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
        $reporter->consume((new PostmarkPayloadConverter())->convert($question['postmark']));
    } catch (Throwable $error) {
        $answer = ['error' => (string) $error];
    }
    echo json_encode($answer)."\n";
}
