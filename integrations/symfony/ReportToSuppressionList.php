<?php

namespace App\RemoteEvent;

use Symfony\Component\RemoteEvent\Consumer\ConsumerInterface;
use Symfony\Component\RemoteEvent\Event\Mailer\AbstractMailerEvent;
use Symfony\Component\RemoteEvent\Event\Mailer\MailerDeliveryEvent;
use Symfony\Component\RemoteEvent\Event\Mailer\MailerEngagementEvent;
use Symfony\Component\RemoteEvent\RemoteEvent;
use Symfony\Contracts\HttpClient\HttpClientInterface;

/**
 * Reports the bounces, complaints, and unsubscribes that Symfony's webhooks receive to the suppression list. Works with
 * Symfony 6.4 and newer, and with every provider whose webhooks Symfony Mailer reads. Copy this file to src/RemoteEvent/. The API
 * key needs the scope events:write.
 *
 *     # config/services.yaml; "mailer_mailersend" is the key in framework.webhook.routing, one tag for each
 *     App\RemoteEvent\ReportToSuppressionList:
 *         arguments:
 *             $url: '%env(SUPPRESSIONS_URL)%'
 *             $apiKey: '%env(SUPPRESSIONS_API_KEY)%'
 *         tags:
 *             - { name: remote_event.consumer, consumer: mailer_mailersend }
 *
 * If a report fails, consume() throws, so that Messenger or the provider tries again.
 */
final class ReportToSuppressionList implements ConsumerInterface
{
    private const TYPES = [
        MailerDeliveryEvent::BOUNCE => 'bounce',
        MailerEngagementEvent::SPAM => 'complaint',
        MailerEngagementEvent::UNSUBSCRIBE => 'unsubscribe',
    ];
    private const MAX_DIAGNOSTIC_LENGTH = 1000;

    public function __construct(private HttpClientInterface $http, private string $url, private string $apiKey)
    {
    }

    public function consume(RemoteEvent $event): void
    {
        $type = $event instanceof AbstractMailerEvent ? self::TYPES[$event->getName()] ?? null : null;
        // Postmark reports with the same event that a recipient may be mailed again.
        if (!$type || false === ($event->getPayload()['SuppressSending'] ?? null)) {
            return;
        }
        $reason = $event instanceof MailerDeliveryEvent ? $this->reasonOf($event) : '';
        // Symfony does not say whether a bounce is soft, so one without a reason may be a full mailbox.
        if (('bounce' === $type && '' === $reason) || $this->concealsRecipient($event->getPayload())) {
            return;
        }
        $report = [
            'type' => $type,
            'email' => $event->getRecipientEmail(),
            // With a time, a repeated report has no effect.
            'occurred_at' => $event->getDate()->format(\DATE_RFC3339_EXTENDED),
        ];
        // The service judges by the diagnostic whether the address is at fault.
        if ('' !== $reason) {
            $report['diagnostic'] = mb_substr($reason, 0, self::MAX_DIAGNOSTIC_LENGTH);
        }
        $status = $this->http->request('POST', rtrim($this->url, '/').'/events', [
            'auth_bearer' => $this->apiKey,
            'json' => $report,
            'timeout' => 10,
        ])->getStatusCode();
        // 400: the event itself cannot be read, so a repetition cannot succeed.
        if (200 !== $status && 400 !== $status) {
            throw new \RuntimeException("The suppression list did not accept an event (HTTP $status).");
        }
    }

    /** Symfony omits what Resend says about a bounce. */
    private function reasonOf(MailerDeliveryEvent $event): string
    {
        $bounce = $event->getPayload()['data']['bounce'] ?? [];

        return $event->getReason() ?: implode(' ', (array) ($bounce['diagnosticCode'] ?? [])) ?: ($bounce['message'] ?? '');
    }

    /** Whether the event of Resend is about one of several recipients, and does not say which. */
    private function concealsRecipient(array $payload): bool
    {
        if (!str_starts_with($payload['type'] ?? '', 'email.')) {
            return false;
        }
        $data = $payload['data'];

        return \count(array_merge($data['to'], $data['cc'] ?? [], $data['bcc'] ?? [])) > 1;
    }
}
