# With Ruby 3, and curl to scrub. README.md says what the commands do: ruby suppressions.rb check ada@example.com

require "json"
require "net/http"
require "openssl"

def call(path, body = nil)
  uri = URI(ENV.fetch("SUPPRESSIONS_URL") + path)
  request = (body ? Net::HTTP::Post : Net::HTTP::Get).new(uri)
  request["Authorization"] = "Bearer #{ENV.fetch("SUPPRESSIONS_API_KEY")}"
  request["Content-Type"] = "application/json"
  request.body = body&.to_json
  response = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == "https", open_timeout: 10, read_timeout: 10) do |http|
    http.request(request)
  end
  abort "#{response.code} #{response.body}" unless response.is_a?(Net::HTTPSuccess)
  JSON.parse(response.body)
end

def add(*emails)
  call("/suppressions/batch/add", { emails: })["data"].each { |suppression| puts suppression["id"] }
end

# For a newsletter, add its topic to the question; for a password reset, transactional: true.
def check(*emails)
  call("/suppressions/check", { emails: })["data"].each { |result| puts result.values_at("email", "verdict").join("\t") }
end

# curl reads the result while it sends the file; Net::HTTP sends everything first. If the connection is cut, the beginning of the
# result stays in a file of another name, as does a refusal.
def scrub(file, clean_file)
  command = %w[curl --silent --show-error --fail-with-body --config - --request POST --header Content-Type:text/csv]
  command += ["--upload-file", file, "--output", "#{clean_file}.part", "#{ENV.fetch("SUPPRESSIONS_URL")}/scrubs"]
  IO.popen(command, "w") { |curl| curl.puts %(header = "Authorization: Bearer #{ENV.fetch("SUPPRESSIONS_API_KEY")}") }
  abort unless $?.success?
  File.rename("#{clean_file}.part", clean_file)
end

def changes(cursor_file)
  loop do
    after = File.exist?(cursor_file) ? "&after=#{File.read(cursor_file)}" : ""
    page = call("/changes?limit=1000#{after}")
    page["data"].each { |change| puts change.values_at("type", "email").join("\t") } # your work, which must be safe to repeat
    File.write("#{cursor_file}.new", page["cursor"])
    File.rename("#{cursor_file}.new", cursor_file)
    break unless page["has_more"]
  end
end

def verify(id, timestamp, signatures)
  body = $stdin.binmode.read
  key = ENV.fetch("SIGNING_SECRET").delete_prefix("whsec_").unpack1("m")
  expected = "v1,#{[OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{timestamp}.".b + body)].pack("m0")}"
  signed = signatures.split.any? { |signature| OpenSSL.secure_compare(expected, signature) }
  abort "The event is not signed by the service, or too old." unless signed && (Time.now.to_i - Integer(timestamp, 10)).abs <= 300
  puts JSON.parse(body)["type"]
end

COMMANDS = %w[add check scrub changes verify].freeze
unless COMMANDS.include?(ARGV.first)
  warn "usage: #{COMMANDS.join(" | ")}"
  exit 2
end
begin
  send(*ARGV)
rescue IOError, SystemCallError, SocketError, Timeout::Error, OpenSSL::SSL::SSLError, Net::HTTPBadResponse,
       JSON::ParserError => error
  abort error.message
end
