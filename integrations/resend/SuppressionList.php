<?php

use GuzzleHttp\Client;
use GuzzleHttp\Exception\GuzzleException;

/**
 * Asks the suppression list before the official Resend client for PHP sends an email. Works with PHP 8.1 and newer. Copy this file
 * into your project:
 *
 *     $emails = new SuppressionList(
 *         Resend::client(getenv('RESEND_API_KEY')),
 *         url: 'https://suppressions.example.com',
 *         apiKey: getenv('SUPPRESSIONS_API_KEY'),
 *         onUnavailable: 'throw',
 *     );
 *     $emails->send(['from' => $from, 'to' => $to, 'bcc' => $bcc, 'subject' => $subject, 'text' => $text]);
 *
 * To set the purpose of an email, add 'X-Suppression-Purpose' => 'transactional' to its headers. integrations/README.md describes
 * the options and what they do.
 */
final class SuppressionList
{
    private const PURPOSE_HEADER = 'x-suppression-purpose';
    private const MAX_ADDRESSES = 1000;

    private Client $http;

    public function __construct(
        private Resend\Client $resend,
        private string $url,
        private string $apiKey,
        private string $onUnavailable,
        private string $onSuppressed = 'drop',
        private string $purpose = 'any',
        int $timeoutMs = 2000,
    ) {
        if (!in_array($onUnavailable, ['send', 'throw'], true)) {
            throw new InvalidArgumentException('Set onUnavailable to "send" or "throw": what to do if the suppression list is unavailable.');
        }
        if (!in_array($onSuppressed, ['drop', 'throw'], true)) {
            throw new InvalidArgumentException('onSuppressed must be "drop" or "throw".');
        }
        $seconds = $timeoutMs / 1000;
        $this->http = new Client(['timeout' => $seconds, 'connect_timeout' => $seconds, 'http_errors' => false]);
    }

    /** Like $resend->emails->send(). Null if nobody is left. */
    public function send(array $email, array $options = []): ?Resend\Email
    {
        $checked = $this->apply($email);

        return $checked ? $this->resend->emails->send($checked, $options) : null;
    }

    /** Like $resend->batch->send(), without the emails to nobody. Null if none is left. */
    public function sendBatch(array $emails, array $options = []): ?Resend\Collection
    {
        $checked = array_values(array_filter(array_map($this->apply(...), $emails)));

        return $checked ? $this->resend->batch->send($checked, $options) : null;
    }

    /** An email without its suppressed recipients and its header for the purpose. Null if nobody is left. */
    public function apply(array $email): ?array
    {
        $headers = $email['headers'] ?? [];
        $stated = array_change_key_case($headers);
        $purpose = ($stated[self::PURPOSE_HEADER] ?? '') ?: $this->purpose;
        $recipients = array_map(fn (string $field) => (array) ($email[$field] ?? []), ['to', 'cc', 'bcc']);
        $addresses = array_values(array_unique(array_map($this->addressOf(...), array_merge(...$recipients))));
        $wantsLinks = count($addresses) === 1 && !isset($stated['list-unsubscribe']) && $purpose !== 'transactional';

        [$suppressed, $links] = $this->check($addresses, $purpose, $wantsLinks);
        if ($suppressed && $this->onSuppressed === 'throw') {
            throw new RecipientsSuppressed($suppressed);
        }
        if ($suppressed && !array_diff($addresses, $suppressed)) {
            return null;
        }

        $isKept = fn (string $recipient) => !in_array($this->addressOf($recipient), $suppressed, true);
        [$to, $cc, $bcc] = array_map(fn (array $field) => array_values(array_filter($field, $isKept)), $recipients);
        // Resend requires a recipient in "to". If only those in "bcc" are left, none of them may see another one.
        if (!$to && $cc) {
            [$to, $cc] = [$cc, []];
        } elseif (!$to && $bcc) {
            [$to, $bcc] = count($bcc) === 1 ? [$bcc, []] : [[$email['from']], $bcc];
        }
        $others = array_filter($headers, fn (string $name) => strtolower($name) !== self::PURPOSE_HEADER, ARRAY_FILTER_USE_KEY);

        return array_filter(['to' => $to, 'cc' => $cc, 'bcc' => $bcc, 'headers' => $others + $links])
            + array_diff_key($email, array_flip(['to', 'cc', 'bcc', 'headers']));
    }

    /** The address in "Ada <ada@example.com>". */
    private function addressOf(string $recipient): string
    {
        return trim(preg_match('/<([^<>]*)>\s*$/', $recipient, $match) ? $match[1] : $recipient);
    }

    /** Returns the suppressed addresses, and the headers of the only recipient's unsubscribe link. */
    private function check(array $addresses, string $purpose, bool $wantsLinks): array
    {
        $suppressed = $links = [];
        try {
            foreach (array_chunk($addresses, self::MAX_ADDRESSES) as $batch) {
                $results = $this->request($batch, $purpose, $wantsLinks);
                foreach ($results as $index => $result) {
                    if ($result['verdict'] === 'suppressed') {
                        $suppressed[] = $batch[$index];
                    }
                }
                $links = $results[0]['unsubscribe']['headers'] ?? [];
            }
        } catch (GuzzleException|UnexpectedValueException $error) {
            if ($this->onUnavailable === 'throw') {
                throw new SuppressionListUnavailable("The suppression list could not be asked ({$error->getMessage()}), so the email was not sent.");
            }
            error_log("The suppression list could not be asked ({$error->getMessage()}). The email is sent without a check.");
        }

        return [$suppressed, $links];
    }

    private function request(array $emails, string $purpose, bool $wantsLinks): array
    {
        $body = ['emails' => $emails] + match ($purpose) {
            'any' => [],
            'transactional' => ['transactional' => true],
            default => ['topic' => $purpose],
        };
        $response = $this->http->post(rtrim($this->url, '/').'/suppressions/check', [
            'headers' => ['Authorization' => "Bearer $this->apiKey"],
            'json' => $wantsLinks ? $body + ['include' => ['unsubscribe']] : $body,
        ]);
        $status = $response->getStatusCode();
        // The service has no PUBLIC_URL yet, so there are no links.
        if ($wantsLinks && $status === 422) {
            return $this->request($emails, $purpose, false);
        }
        $answer = json_decode((string) $response->getBody(), true);
        if ($status !== 200) {
            throw new UnexpectedValueException(trim("HTTP $status ".($answer['code'] ?? '')));
        }
        $results = $answer['data'] ?? null;
        if (!is_array($results) || count(array_filter(array_column($results, 'verdict'))) !== count($emails)) {
            throw new UnexpectedValueException('an unexpected response');
        }

        return $results;
    }
}

/** The email was refused, because onSuppressed is "throw". */
final class RecipientsSuppressed extends RuntimeException
{
    /** @param string[] $recipients the suppressed addresses */
    public function __construct(public readonly array $recipients)
    {
        parent::__construct('The email was not sent to anybody. Suppressed recipients: '.count($recipients).'.');
    }
}

/** The email was not sent, because onUnavailable is "throw". */
final class SuppressionListUnavailable extends RuntimeException
{
}
