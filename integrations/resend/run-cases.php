<?php

/** Runs the cases of cases.json against the Resend client for PHP: see driver/runner.js. */
require getenv('RESEND_PHP_AUTOLOAD');
require __DIR__.'/SuppressionList.php';

function send(array $options, array $mail, string $api, bool $isBatch): void
{
    putenv("RESEND_BASE_URL=$api");
    $given = array_filter($options, fn ($value) => $value !== null);
    $list = new SuppressionList(Resend::client('re_key'), ...$given);
    $isBatch ? $list->sendBatch([$mail]) : $list->send($mail);
}

while ($line = fgets(STDIN)) {
    $case = json_decode($line, true);
    $answer = ['error' => null];
    try {
        send($case['options'], $case['mail'], $case['api'], in_array('--batch', $argv, true));
    } catch (RecipientsSuppressed $error) {
        $answer = ['error' => 'suppressed', 'message' => $error->getMessage()];
    } catch (SuppressionListUnavailable $error) {
        $answer = ['error' => 'unavailable', 'message' => $error->getMessage()];
    } catch (ArgumentCountError|InvalidArgumentException $error) {
        $answer = ['error' => 'configuration', 'message' => $error->getMessage()];
    } catch (Throwable $error) {
        $answer = ['error' => (string) $error];
    }
    echo json_encode($answer)."\n";
}
