# frozen_string_literal: true

# Runs the cases of cases.json against the Resend client for Ruby: see driver/runner.js.
require "json"

$stdout.sync = true
NAMES = { "apiKey" => :api_key, "onUnavailable" => :on_unavailable, "onSuppressed" => :on_suppressed, "timeoutMs" => :timeout_ms }.freeze

def deliver(question)
  # The client reads it once.
  ENV["RESEND_BASE_URL"] = "#{question['api']}/"
  require_relative "suppression_list"
  Resend.api_key = "re_key"
  options = question["options"].compact.to_h { |name, value| [NAMES[name] || name.to_sym, value] }
  list = SuppressionList.new(**options)
  ARGV.include?("--batch") ? list.send_batch([question["mail"]]) : list.send_email(question["mail"])
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
