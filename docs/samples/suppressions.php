<?php
// With PHP 8 and its extension curl. README.md says what the commands do: php suppressions.php check ada@example.com

declare(strict_types=1);

/** @param array<int, mixed> $options */
function request(string $path, array $options): string|bool
{
    $curl = curl_init(getenv('SUPPRESSIONS_URL') . $path);
    curl_setopt_array($curl, array_replace([CURLOPT_RETURNTRANSFER => true, CURLOPT_CONNECTTIMEOUT => 10], $options));
    $response = curl_exec($curl);
    $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
    if ($response === false || $status >= 400) {
        throw new RuntimeException(curl_error($curl) ?: "$status " . (is_string($response) ? $response : ''));
    }
    return $response;
}

/** @return string[] */
function headers(string $type): array
{
    return ['Authorization: Bearer ' . getenv('SUPPRESSIONS_API_KEY'), "Content-Type: $type"];
}

function call(string $path, ?array $body = null): array
{
    $options = [CURLOPT_TIMEOUT => 10, CURLOPT_HTTPHEADER => headers('application/json')];
    if ($body !== null) {
        $options[CURLOPT_POSTFIELDS] = json_encode($body, JSON_THROW_ON_ERROR);
    }
    return json_decode(request($path, $options), true, 512, JSON_THROW_ON_ERROR);
}

function add(string ...$emails): void
{
    foreach (call('/suppressions/batch/add', ['emails' => $emails])['data'] as $suppression) {
        echo $suppression['id'], "\n";
    }
}

/** For a newsletter, add its 'topic' to the question; for a password reset, 'transactional' => true. */
function check(string ...$emails): void
{
    foreach (call('/suppressions/check', ['emails' => $emails])['data'] as $result) {
        echo $result['email'], "\t", $result['verdict'], "\n";
    }
}

/** If the connection is cut, the beginning of the result stays in a file of another name, as does a refusal. */
function scrub(string $file, string $cleanFile): void
{
    $output = fopen("$cleanFile.part", 'wb');
    request('/scrubs', [
        CURLOPT_CUSTOMREQUEST => 'POST',
        CURLOPT_HTTPHEADER => headers('text/csv'),
        CURLOPT_UPLOAD => true,
        CURLOPT_INFILE => fopen($file, 'rb'),
        CURLOPT_INFILESIZE => filesize($file),
        CURLOPT_FILE => $output,
    ]);
    fclose($output);
    rename("$cleanFile.part", $cleanFile);
}

function changes(string $cursorFile): void
{
    do {
        $after = is_file($cursorFile) ? '&after=' . file_get_contents($cursorFile) : '';
        $page = call("/changes?limit=1000$after");
        foreach ($page['data'] as $change) {
            echo $change['type'], "\t", $change['email'], "\n"; // your work, which must be safe to repeat
        }
        file_put_contents("$cursorFile.new", $page['cursor']);
        rename("$cursorFile.new", $cursorFile);
    } while ($page['has_more']);
}

function verify(string $id, string $timestamp, string $signatures): void
{
    $body = stream_get_contents(STDIN);
    $key = base64_decode(str_replace('whsec_', '', getenv('SIGNING_SECRET')));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    $isSigned = false;
    foreach (explode(' ', $signatures) as $signature) {
        $isSigned = hash_equals($expected, $signature) || $isSigned;
    }
    if (!$isSigned || abs(time() - (int) $timestamp) > 300) {
        throw new RuntimeException('The event is not signed by the service, or too old.');
    }
    echo json_decode($body, true, 512, JSON_THROW_ON_ERROR)['type'], "\n";
}

$commands = ['add', 'check', 'scrub', 'changes', 'verify'];
if (!in_array($argv[1] ?? null, $commands, true)) {
    fwrite(STDERR, 'usage: ' . implode(' | ', $commands) . "\n");
    exit(2);
}
try {
    $argv[1](...array_slice($argv, 2));
} catch (Throwable $error) {
    fwrite(STDERR, $error->getMessage() . "\n");
    exit(1);
}
