# frozen_string_literal: true

require "json"
require "logger"
require "net/http"
require "resend"
require "timeout"

# Asks the suppression list before the official Resend client for Ruby sends an email. Copy this file into your project:
#
#     emails = SuppressionList.new(
#       url: "https://suppressions.example.com",
#       api_key: ENV.fetch("SUPPRESSIONS_API_KEY"),
#       on_unavailable: :throw
#     )
#     emails.send_email({ from: from, to: to, bcc: bcc, subject: subject, text: text }) # like Resend::Emails.send
#
# To set the purpose of an email, add { "X-Suppression-Purpose" => "transactional" } to its headers. Rails needs this file only
# for emails that bypass Action Mailer. integrations/README.md describes the options and what they do.
class SuppressionList
  PURPOSE_HEADER = "x-suppression-purpose"
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

  def initialize(url:, api_key:, on_unavailable:, on_suppressed: :drop, purpose: "any", timeout_ms: 2000, logger: Logger.new($stderr))
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
    @logger = logger
  end

  # Like Resend::Emails.send. Nil if nobody is left.
  def send_email(params, options: {})
    checked = apply(params)
    checked && Resend::Emails.send(checked, options: options)
  end

  # Like Resend::Batch.send, without the emails to nobody. Nil if none is left.
  def send_batch(params, options: {})
    checked = params.filter_map { |email| apply(email) }
    Resend::Batch.send(checked, options: options) if checked.any?
  end

  # An email without its suppressed recipients and its header for the purpose. Nil if nobody is left.
  def apply(params)
    params = params.transform_keys(&:to_sym)
    headers = (params[:headers] || {}).transform_keys(&:to_s)
    stated = headers.transform_keys(&:downcase)
    recipients = %i[to cc bcc].map { |field| Array(params[field]) }
    emails = recipients.flatten.map { |each| address_of(each) }.uniq
    purpose = [stated[PURPOSE_HEADER].to_s, @purpose].find { |each| !each.empty? }

    suppressed, links = check(emails, purpose, emails.one? && !stated.key?("list-unsubscribe"))
    raise RecipientsSuppressed, suppressed if suppressed.any? && @on_suppressed == :throw
    return if suppressed.any? && (emails - suppressed).empty?

    kept = recipients.map { |field| field.reject { |each| suppressed.include?(address_of(each)) } }
    to, cc, bcc = with_to(*kept, params[:from])
    headers = headers.reject { |name, _| name.downcase == PURPOSE_HEADER }
    params.merge(to: to, cc: cc, bcc: bcc, headers: headers.merge(links))
  end

  private

  # Resend requires a recipient in `to`. If only those in `bcc` are left, none of them may see another one.
  def with_to(to, cc, bcc, from)
    return [to, cc, bcc] if to.any? || (cc.empty? && bcc.empty?)
    return [cc, [], bcc] if cc.any?

    bcc.one? ? [bcc, cc, []] : [[from], cc, bcc]
  end

  # The address in "Ada <ada@example.com>".
  def address_of(recipient)
    (recipient[/<([^<>]*)>\s*\z/, 1] || recipient).strip
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

    @logger.warn("The suppression list could not be asked (#{e.message}). The email is sent without a check.")
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
