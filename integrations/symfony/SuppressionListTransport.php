<?php

namespace App\Mailer;

use Psr\Log\LoggerInterface;
use Psr\Log\NullLogger;
use Symfony\Component\Mailer\Envelope;
use Symfony\Component\Mailer\Exception\RuntimeException;
use Symfony\Component\Mailer\Exception\TransportException;
use Symfony\Component\Mailer\SentMessage;
use Symfony\Component\Mailer\Transport\TransportInterface;
use Symfony\Component\Mime\Address;
use Symfony\Component\Mime\Message;
use Symfony\Component\Mime\RawMessage;
use Symfony\Contracts\HttpClient\Exception\ExceptionInterface as HttpException;
use Symfony\Contracts\HttpClient\HttpClientInterface;

/**
 * Asks the suppression list before Symfony Mailer sends an email. Works with Symfony 5.4 and newer, with symfony/http-client.
 * Copy this file to src/Mailer/, and decorate the transports:
 *
 *     # config/services.yaml
 *     App\Mailer\SuppressionListTransport:
 *         decorates: mailer.transports
 *         arguments:
 *             $inner: '@.inner'
 *             $url: '%env(SUPPRESSIONS_URL)%'
 *             $apiKey: '%env(SUPPRESSIONS_API_KEY)%'
 *             $onUnavailable: throw
 *
 * To set the purpose of an email: $email->getHeaders()->addTextHeader('X-Suppression-Purpose', 'transactional').
 * integrations/README.md describes the arguments and what they do.
 */
final class SuppressionListTransport implements TransportInterface
{
    private const PURPOSE_HEADER = 'X-Suppression-Purpose';
    private const MAX_ADDRESSES = 1000;

    public function __construct(
        private TransportInterface $inner,
        private HttpClientInterface $http,
        private string $url,
        private string $apiKey,
        private string $onUnavailable,
        private string $onSuppressed = 'drop',
        private string $purpose = 'any',
        private int $timeoutMs = 2000,
        private ?LoggerInterface $logger = null,
    ) {
        if (!in_array($onUnavailable, ['send', 'throw'], true)) {
            throw new \InvalidArgumentException('Set $onUnavailable to "send" or "throw": what to do if the suppression list is unavailable.');
        }
        if (!in_array($onSuppressed, ['drop', 'throw'], true)) {
            throw new \InvalidArgumentException('$onSuppressed must be "drop" or "throw".');
        }
        $this->logger ??= new NullLogger();
    }

    public function __toString(): string
    {
        return (string) $this->inner;
    }

    public function send(RawMessage $message, ?Envelope $envelope = null): ?SentMessage
    {
        // The caller may send the original again.
        $message = clone $message;
        $headers = $message instanceof Message ? $message->getHeaders() : null;
        $purpose = $headers?->get(self::PURPOSE_HEADER)?->getBodyAsString() ?: $this->purpose;
        $headers?->remove(self::PURPOSE_HEADER);

        $recipients = ($envelope ?? Envelope::create($message))->getRecipients();
        $emails = array_values(array_unique(array_map(fn (Address $address) => $address->getAddress(), $recipients)));
        $wantsLinks = 1 === count($emails) && $headers && !$headers->has('List-Unsubscribe');
        [$suppressed, $links] = $this->check($emails, $purpose, $wantsLinks);
        if ($suppressed && 'throw' === $this->onSuppressed) {
            throw new RecipientsSuppressedException($suppressed);
        }
        if ($suppressed && !array_diff($emails, $suppressed)) {
            return null;
        }

        $keep = fn (array $addresses) => array_values(array_filter($addresses, fn (Address $address) => !in_array($address->getAddress(), $suppressed, true)));
        foreach ($headers ? ['To', 'Cc', 'Bcc'] : [] as $name) {
            $kept = $keep($headers->get($name)?->getAddresses() ?? []);
            $headers->remove($name);
            if ($kept) {
                $headers->addMailboxListHeader($name, $kept);
            }
        }
        foreach ($links as $name => $value) {
            $headers->addTextHeader($name, $value);
        }

        return $this->inner->send($message, $envelope ? new Envelope($envelope->getSender(), $keep($recipients)) : null);
    }

    /** @return array{string[], array<string, string>} the suppressed addresses, and the headers of the only recipient's unsubscribe link */
    private function check(array $emails, string $purpose, bool $wantsLinks): array
    {
        $suppressed = $links = [];
        try {
            foreach (array_chunk($emails, self::MAX_ADDRESSES) as $batch) {
                $results = $this->request($batch, $purpose, $wantsLinks && 'transactional' !== $purpose);
                foreach ($results as $index => $result) {
                    if ('suppressed' === $result['verdict']) {
                        $suppressed[] = $batch[$index];
                    }
                }
                $links = $results[0]['unsubscribe']['headers'] ?? [];
            }
        } catch (HttpException|\UnexpectedValueException $error) {
            if ('throw' === $this->onUnavailable) {
                throw new SuppressionListUnavailableException("The suppression list could not be asked ({$error->getMessage()}), so the email was not sent.");
            }
            $this->logger->warning('The suppression list could not be asked ({reason}). The email is sent without a check.', ['reason' => $error->getMessage()]);
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
        $response = $this->http->request('POST', rtrim($this->url, '/').'/suppressions/check', [
            'auth_bearer' => $this->apiKey,
            'json' => $wantsLinks ? $body + ['include' => ['unsubscribe']] : $body,
            'timeout' => $this->timeoutMs / 1000,
            'max_duration' => $this->timeoutMs / 1000,
        ]);
        $status = $response->getStatusCode();
        $answer = json_decode($response->getContent(false), true);
        // The service has no PUBLIC_URL yet, so there are no links.
        if ($wantsLinks && 422 === $status) {
            return $this->request($emails, $purpose, false);
        }
        if (200 !== $status) {
            throw new \UnexpectedValueException(trim("HTTP $status ".($answer['code'] ?? '')));
        }
        $results = $answer['data'] ?? null;
        if (!is_array($results) || count(array_filter(array_column($results, 'verdict'))) !== count($emails)) {
            throw new \UnexpectedValueException('an unexpected response');
        }

        return $results;
    }
}

/** The email was refused, because $onSuppressed is "throw". */
final class RecipientsSuppressedException extends RuntimeException
{
    /** @param string[] $recipients the suppressed addresses */
    public function __construct(public array $recipients)
    {
        parent::__construct('The email was not sent to anybody. Suppressed recipients: '.count($recipients).'.');
    }
}

/** The email was not sent, because $onUnavailable is "throw". */
final class SuppressionListUnavailableException extends TransportException
{
}
