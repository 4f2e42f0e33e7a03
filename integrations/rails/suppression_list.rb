# frozen_string_literal: true

require "json"
require "net/http"
require "timeout"

# Asks the suppression list before Action Mailer sends an email. Works with Rails 5.2 and newer. Copy this file to lib/, and
# register it as the last interceptor:
#
#     # config/initializers/suppression_list.rb
#     require Rails.root.join("lib/suppression_list")
#
#     ActionMailer::Base.register_interceptor(
#       SuppressionList.new(
#         url: "https://suppressions.example.com",
#         api_key: ENV.fetch("SUPPRESSIONS_API_KEY"),
#         on_unavailable: :throw
#       )
#     )
#
# To set the purpose of an email: mail(to: user.email, "X-Suppression-Purpose": "transactional").
# integrations/README.md describes the options and what they do.
class SuppressionList
  PURPOSE_HEADER = "X-Suppression-Purpose"
  MAX_ADDRESSES = 1000

  # The email was refused, because on_suppressed is :throw.
  class RecipientsSuppressed < StandardError
    attr_reader :recipients

    def initialize(recipients)
      @recipients = recipients
      super("The email was not sent to anybody. Suppressed recipients: #{recipients.size}.")
    end
  end

  # The email was not sent, because on_unavailable is :throw.
  class Unavailable < StandardError; end

  # The check failed for this reason.
  class CheckFailed < StandardError; end

  # Sends nothing. deliver_now! ignores perform_deliveries, but not the delivery method.
  class NoDelivery
    attr_reader :settings

    def initialize(settings = {})
      @settings = settings
    end

    def deliver!(_message); end
  end

  def initialize(url:, api_key:, on_unavailable:, on_suppressed: :drop, purpose: "any", timeout_ms: 2000)
    unless %w[send throw].include?(on_unavailable.to_s)
      raise ArgumentError, "Set on_unavailable to :send or :throw: what to do if the suppression list is unavailable."
    end
    raise ArgumentError, "on_suppressed must be :drop or :throw." unless %w[drop throw].include?(on_suppressed.to_s)

    @uri = URI("#{url.chomp('/')}/suppressions/check")
    @api_key = api_key
    @on_unavailable = on_unavailable.to_sym
    @on_suppressed = on_suppressed.to_sym
    @purpose = purpose.to_s
    @timeout_ms = timeout_ms
  end

  # Action Mailer calls this before each delivery.
  def delivering_email(message)
    purpose = message.header[PURPOSE_HEADER]&.value.presence || @purpose
    message.header[PURPOSE_HEADER] = nil if message.header[PURPOSE_HEADER]
    fields = %i[to cc bcc].to_h { |name| [name, message[name].respond_to?(:addrs) ? message[name].addrs : []] }
    envelope = message.smtp_envelope_to
    has_own_envelope = envelope != message.destinations
    emails = has_own_envelope ? envelope.uniq : fields.values.flatten.map(&:address).uniq

    suppressed, links = check(emails, purpose, emails.one? && message.header["List-Unsubscribe"].nil?)
    raise RecipientsSuppressed, suppressed if suppressed.any? && @on_suppressed == :throw
    return cancel(message) if suppressed.any? && (emails - suppressed).empty?

    fields.each do |name, addresses|
      kept = addresses.reject { |address| suppressed.include?(address.address) }
      message[name] = kept.empty? ? nil : kept.map(&:format) if kept.size < addresses.size
    end
    message.smtp_envelope_to = envelope - suppressed if has_own_envelope
    links.each { |name, value| message.header[name] = value }
  end

  private

  def cancel(message)
    message.perform_deliveries = false
    message.delivery_method(NoDelivery)
  end

  # Returns the suppressed addresses, and the headers of the only recipient's unsubscribe link.
  def check(emails, purpose, wants_links)
    suppressed = []
    links = {}
    emails.each_slice(MAX_ADDRESSES) do |batch|
      results = request(batch, purpose, wants_links && purpose != "transactional")
      suppressed.concat(batch.zip(results).filter_map { |email, result| email if result["verdict"] == "suppressed" })
      links = results.first.dig("unsubscribe", "headers") || {}
    end
    [suppressed, links]
  rescue StandardError => e
    if @on_unavailable == :throw
      raise Unavailable, "The suppression list could not be asked (#{e.message}), so the email was not sent."
    end

    ActionMailer::Base.logger&.warn(
      "The suppression list could not be asked (#{e.message}). The email is sent without a check."
    )
    [suppressed, {}]
  end

  def request(emails, purpose, wants_links)
    body = { emails: emails }
    body[:transactional] = true if purpose == "transactional"
    body[:topic] = purpose unless %w[any transactional].include?(purpose)
    body[:include] = ["unsubscribe"] if wants_links
    headers = { "Authorization" => "Bearer #{@api_key}", "Content-Type" => "application/json" }
    response = Timeout.timeout(@timeout_ms / 1000.0) { Net::HTTP.post(@uri, JSON.generate(body), headers) }
    # The service has no PUBLIC_URL yet, so there are no links.
    return request(emails, purpose, false) if wants_links && response.code == "422"

    answer = parse(response.body)
    raise CheckFailed, "HTTP #{response.code} #{answer['code']}".strip if response.code != "200"

    results = answer["data"]
    verdicts = results.is_a?(Array) ? results.grep(Hash).filter_map { |result| result["verdict"] } : []
    raise CheckFailed, "an unexpected response" if verdicts.size != emails.size

    results
  end

  def parse(text)
    answer = JSON.parse(text)
    answer.is_a?(Hash) ? answer : {}
  rescue JSON::ParserError
    {}
  end
end
