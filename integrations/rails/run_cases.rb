# frozen_string_literal: true

# Runs the cases of cases.json against Action Mailer: see driver/runner.js.
require "action_mailer"
require "logger"
require_relative "suppression_list"

$stdout.sync = true
ActionMailer::Base.logger = Logger.new($stderr, level: :warn)
ActionMailer::Base.delivery_method = :smtp

class CaseMailer < ActionMailer::Base
  def email(fields)
    headers(fields["headers"])
    mail(**fields.slice("from", "to", "cc", "bcc", "subject").transform_keys(&:to_sym)) { |format| format.text { render plain: fields["text"] } }
  end
end

NAMES = { "apiKey" => :api_key, "onUnavailable" => :on_unavailable, "onSuppressed" => :on_suppressed, "timeoutMs" => :timeout_ms }.freeze

def deliver(question)
  ActionMailer::Base.smtp_settings = { address: question["smtp"]["host"], port: question["smtp"]["port"], enable_starttls_auto: false }
  options = question["options"].compact.to_h { |name, value| [NAMES[name] || name.to_sym, value] }
  interceptor = SuppressionList.new(**options)
  ActionMailer::Base.register_interceptor(interceptor)
  # deliver_now! ignores perform_deliveries.
  CaseMailer.email(question["mail"]).public_send(ARGV.first || :deliver_now)
ensure
  ActionMailer::Base.unregister_interceptor(interceptor) if interceptor
end

$stdin.each_line do |line|
  answer =
    begin
      deliver(JSON.parse(line))
      { error: nil }
    rescue SuppressionList::RecipientsSuppressed => e
      { error: "suppressed", message: e.message }
    rescue SuppressionList::Unavailable => e
      { error: "unavailable", message: e.message }
    rescue ArgumentError => e
      { error: "configuration", message: e.message }
    rescue StandardError => e
      { error: e.full_message }
    end
  puts JSON.generate(answer)
end
