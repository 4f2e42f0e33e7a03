<?php

namespace App\Listeners;

use GuzzleHttp\Exception\GuzzleException;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Http\Client\ConnectionException;
use Illuminate\Http\Client\Factory;
use Illuminate\Mail\Events\MessageSending;
use Psr\Log\LoggerInterface;
use Symfony\Component\Mime\Address;

/**
 * Asks the suppression list before Laravel sends an email. Works with Laravel 9 and newer. Tested by hand with Laravel 9.52,
 * 10.50, 11.56, and 12.67; CI has only Laravel 8, and fires its event with an email of Symfony Mailer. Copy this file to
 * app/Listeners/, where Laravel 11 and newer find it; before that, list it for MessageSending in the EventServiceProvider. Then
 * configure it:
 *
 *     // config/services.php
 *     'suppression_list' => [
 *         'url' => env('SUPPRESSIONS_URL'),
 *         'api_key' => env('SUPPRESSIONS_API_KEY'),
 *         'on_unavailable' => 'throw',
 *     ],
 *
 * To set the purpose of a mailable: new Headers(text: ['X-Suppression-Purpose' => 'transactional']).
 * integrations/README.md describes the options and what they do.
 */
final class CheckSuppressionList
{
    private const PURPOSE_HEADER = 'X-Suppression-Purpose';
    private const MAX_ADDRESSES = 1000;

    private array $options;

    public function __construct(private Factory $http, private LoggerInterface $logger, Repository $config)
    {
        $defaults = ['url' => null, 'api_key' => null, 'on_unavailable' => null, 'on_suppressed' => 'drop', 'purpose' => 'any', 'timeout_ms' => 2000];
        $this->options = ($config->get('services.suppression_list') ?? []) + $defaults;
        $unknown = array_keys(array_diff_key($this->options, $defaults));
        if ($unknown) {
            throw new \InvalidArgumentException('services.suppression_list has unknown options: '.implode(', ', $unknown).'.');
        }
        if (empty($this->options['url']) || empty($this->options['api_key'])) {
            throw new \InvalidArgumentException('services.suppression_list needs url and api_key.');
        }
        if (! in_array($this->options['on_unavailable'], ['send', 'throw'], true)) {
            throw new \InvalidArgumentException('Set services.suppression_list.on_unavailable to "send" or "throw": what to do if the suppression list is unavailable.');
        }
        if (! in_array($this->options['on_suppressed'], ['drop', 'throw'], true)) {
            throw new \InvalidArgumentException('services.suppression_list.on_suppressed must be "drop" or "throw".');
        }
    }

    /** Drops the suppressed recipients of the message. False stops a message to nobody. */
    public function handle(MessageSending $event): ?bool
    {
        $headers = $event->message->getHeaders();
        $purpose = $headers->get(self::PURPOSE_HEADER)?->getBodyAsString() ?: $this->options['purpose'];
        $headers->remove(self::PURPOSE_HEADER);

        $recipients = [];
        foreach (['To', 'Cc', 'Bcc'] as $name) {
            $recipients[$name] = $headers->get($name)?->getAddresses() ?? [];
        }
        $emails = array_map(fn (Address $address) => $address->getAddress(), array_merge(...array_values($recipients)));
        $emails = array_values(array_unique($emails));
        $wantsLinks = count($emails) === 1 && ! $headers->has('List-Unsubscribe') && $purpose !== 'transactional';
        [$suppressed, $links] = $this->check($emails, $purpose, $wantsLinks);
        if ($suppressed && $this->options['on_suppressed'] === 'throw') {
            throw new RecipientsSuppressed($suppressed);
        }
        if ($suppressed && ! array_diff($emails, $suppressed)) {
            return false;
        }

        foreach ($recipients as $name => $addresses) {
            $kept = array_filter($addresses, fn (Address $address) => ! in_array($address->getAddress(), $suppressed, true));
            $headers->remove($name);
            if ($kept) {
                $headers->addMailboxListHeader($name, array_values($kept));
            }
        }
        foreach ($links as $name => $value) {
            $headers->addTextHeader($name, $value);
        }

        return null;
    }

    /** Returns the suppressed addresses, and the headers of the only recipient's unsubscribe link. */
    private function check(array $emails, string $purpose, bool $wantsLinks): array
    {
        $suppressed = $links = [];
        try {
            foreach (array_chunk($emails, self::MAX_ADDRESSES) as $batch) {
                $results = $this->request($batch, $purpose, $wantsLinks);
                foreach ($results as $index => $result) {
                    if ($result['verdict'] === 'suppressed') {
                        $suppressed[] = $batch[$index];
                    }
                }
                $links = $results[0]['unsubscribe']['headers'] ?? [];
            }
        } catch (ConnectionException|GuzzleException|\UnexpectedValueException $error) {
            if ($this->options['on_unavailable'] === 'throw') {
                throw new SuppressionListUnavailable("The suppression list could not be asked ({$error->getMessage()}), so the email was not sent.");
            }
            $this->logger->warning("The suppression list could not be asked ({$error->getMessage()}). The email is sent without a check.");
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
        $seconds = $this->options['timeout_ms'] / 1000;
        $response = $this->http->withToken($this->options['api_key'])
            ->withOptions(['timeout' => $seconds, 'connect_timeout' => $seconds])
            ->post(rtrim($this->options['url'], '/').'/suppressions/check', $wantsLinks ? $body + ['include' => ['unsubscribe']] : $body);
        // The service has no PUBLIC_URL yet, so there are no links.
        if ($wantsLinks && $response->status() === 422) {
            return $this->request($emails, $purpose, false);
        }
        if ($response->status() !== 200) {
            throw new \UnexpectedValueException(trim("HTTP {$response->status()} ".$response->json('code')));
        }
        $results = $response->json('data');
        if (! is_array($results) || count(array_filter(array_column($results, 'verdict'))) !== count($emails)) {
            throw new \UnexpectedValueException('an unexpected response');
        }

        return $results;
    }
}

/** The email was refused, because on_suppressed is "throw". */
final class RecipientsSuppressed extends \RuntimeException
{
    /** @param string[] $recipients the suppressed addresses */
    public function __construct(public array $recipients)
    {
        parent::__construct('The email was not sent to anybody. Suppressed recipients: '.count($recipients).'.');
    }
}

/** The email was not sent, because on_unavailable is "throw". */
final class SuppressionListUnavailable extends \RuntimeException
{
}
