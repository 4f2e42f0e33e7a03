// With .NET 6 or newer, and curl to scrub: replace the Program.cs of `dotnet new console`. README.md says what the commands do:
// dotnet run -- check ada@example.com

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;

public static class Suppressions
{
    private static readonly HttpClient Client = new HttpClient { Timeout = TimeSpan.FromSeconds(10) };

    public static async Task<int> Main(string[] args)
    {
        try
        {
            switch (args.FirstOrDefault())
            {
                case "add":
                    await Add(args.Skip(1));
                    return 0;
                case "check":
                    await Check(args.Skip(1));
                    return 0;
                case "scrub":
                    Scrub(args[1], args[2]);
                    return 0;
                case "changes":
                    await Changes(args[1]);
                    return 0;
                case "verify":
                    Verify(args[1], args[2], args[3]);
                    return 0;
                default:
                    Console.Error.WriteLine("usage: add | check | scrub | changes | verify");
                    return 2;
            }
        }
        catch (Exception error)
        {
            Console.Error.WriteLine(error.Message);
            return 1;
        }
    }

    private static async Task<JsonElement> Call(HttpMethod method, string path, object? body = null)
    {
        using (var request = new HttpRequestMessage(method, Setting("SUPPRESSIONS_URL") + path))
        {
            request.Headers.Add("Authorization", "Bearer " + Setting("SUPPRESSIONS_API_KEY"));
            if (body != null)
            {
                request.Content = new StringContent(JsonSerializer.Serialize(body), Encoding.UTF8, "application/json");
            }
            using (var response = await Client.SendAsync(request))
            {
                var text = await response.Content.ReadAsStringAsync();
                if (!response.IsSuccessStatusCode)
                {
                    throw new HttpRequestException($"{(int)response.StatusCode} {text}");
                }
                return JsonDocument.Parse(text).RootElement;
            }
        }
    }

    private static async Task Add(IEnumerable<string> emails)
    {
        var added = await Call(HttpMethod.Post, "/suppressions/batch/add", new { emails });
        foreach (var suppression in added.GetProperty("data").EnumerateArray())
        {
            Console.WriteLine(suppression.GetProperty("id").GetString());
        }
    }

    /// <summary>For a newsletter, add its topic to the question; for a password reset, transactional = true.</summary>
    private static async Task Check(IEnumerable<string> emails)
    {
        var results = await Call(HttpMethod.Post, "/suppressions/check", new { emails });
        foreach (var result in results.GetProperty("data").EnumerateArray())
        {
            Console.WriteLine($"{result.GetProperty("email").GetString()}\t{result.GetProperty("verdict").GetString()}");
        }
    }

    /// <summary>
    /// curl reads the result while it sends the file. If the connection is cut, the beginning of the result stays in a file of
    /// another name, as does a refusal.
    /// </summary>
    private static void Scrub(string file, string cleanFile)
    {
        var start = new ProcessStartInfo("curl") { RedirectStandardInput = true, UseShellExecute = false };
        var arguments = new[]
        {
            "--silent", "--show-error", "--fail-with-body", "--config", "-", "--request", "POST",
            "--header", "Content-Type: text/csv", "--upload-file", file, "--output", cleanFile + ".part",
            Setting("SUPPRESSIONS_URL") + "/scrubs",
        };
        foreach (var argument in arguments)
        {
            start.ArgumentList.Add(argument);
        }
        using (var curl = Process.Start(start) ?? throw new IOException("curl cannot be started."))
        {
            curl.StandardInput.Write($"header = \"Authorization: Bearer {Setting("SUPPRESSIONS_API_KEY")}\"");
            curl.StandardInput.Close();
            curl.WaitForExit();
            if (curl.ExitCode != 0)
            {
                throw new IOException("The file was not scrubbed.");
            }
        }
        File.Move(cleanFile + ".part", cleanFile, overwrite: true);
    }

    private static async Task Changes(string cursorFile)
    {
        var hasMore = true;
        while (hasMore)
        {
            var after = File.Exists(cursorFile) ? "&after=" + File.ReadAllText(cursorFile) : "";
            var page = await Call(HttpMethod.Get, "/changes?limit=1000" + after);
            foreach (var change in page.GetProperty("data").EnumerateArray())
            {
                // Your work, which must be safe to repeat.
                Console.WriteLine($"{change.GetProperty("type").GetString()}\t{change.GetProperty("email").GetString()}");
            }
            File.WriteAllText(cursorFile + ".new", page.GetProperty("cursor").GetString());
            File.Move(cursorFile + ".new", cursorFile, overwrite: true);
            hasMore = page.GetProperty("has_more").GetBoolean();
        }
    }

    private static void Verify(string id, string timestamp, string signatures)
    {
        var body = new StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false)).ReadToEnd();
        using (var hmac = new HMACSHA256(Convert.FromBase64String(Setting("SIGNING_SECRET").Replace("whsec_", ""))))
        {
            var signed = Encoding.UTF8.GetBytes($"{id}.{timestamp}.{body}");
            var expected = Encoding.UTF8.GetBytes("v1," + Convert.ToBase64String(hmac.ComputeHash(signed)));
            var isSigned = signatures
                .Split(' ')
                .Any(signature => CryptographicOperations.FixedTimeEquals(expected, Encoding.UTF8.GetBytes(signature)));
            if (!isSigned || Math.Abs(DateTimeOffset.UtcNow.ToUnixTimeSeconds() - long.Parse(timestamp)) > 300)
            {
                throw new CryptographicException("The event is not signed by the service, or too old.");
            }
        }
        Console.WriteLine(JsonDocument.Parse(body).RootElement.GetProperty("type").GetString());
    }

    private static string Setting(string name)
    {
        return Environment.GetEnvironmentVariable(name) ?? throw new InvalidOperationException($"Set {name}.");
    }
}
