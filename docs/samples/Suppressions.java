import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * With Java 11 or newer and Gson, and curl to scrub. README.md says what the commands do:
 * java -cp gson.jar Suppressions.java check ada@example.com
 */
public class Suppressions {
  private static final String URL = System.getenv("SUPPRESSIONS_URL");
  private static final String API_KEY = System.getenv("SUPPRESSIONS_API_KEY");
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(10)).build();

  public static void main(String[] args) throws Exception {
    String command = args.length == 0 ? "" : args[0];
    List<String> rest = Arrays.asList(args).subList(Math.min(1, args.length), args.length);
    try {
      switch (command) {
        case "add":
          add(rest);
          break;
        case "check":
          check(rest);
          break;
        case "scrub":
          scrub(rest.get(0), rest.get(1));
          break;
        case "changes":
          changes(Path.of(rest.get(0)));
          break;
        case "verify":
          verify(rest.get(0), rest.get(1), rest.get(2));
          break;
        default:
          System.err.println("usage: add | check | scrub | changes | verify");
          System.exit(2);
      }
    } catch (IOException | GeneralSecurityException | JsonParseException | IllegalStateException error) {
      System.err.println(Objects.requireNonNullElse(error.getMessage(), error.toString()));
      System.exit(1);
    }
  }

  static JsonObject call(String path, Object body) throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(URL + path))
            .timeout(Duration.ofSeconds(10))
            .header("Authorization", "Bearer " + API_KEY)
            .header("Content-Type", "application/json");
    if (body != null) {
      request.POST(HttpRequest.BodyPublishers.ofString(new Gson().toJson(body)));
    }
    HttpResponse<String> response = CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() >= 400) {
      throw new IOException(response.statusCode() + " " + response.body());
    }
    return JsonParser.parseString(response.body()).getAsJsonObject();
  }

  static void add(List<String> emails) throws IOException, InterruptedException {
    for (JsonElement suppression : call("/suppressions/batch/add", Map.of("emails", emails)).getAsJsonArray("data")) {
      System.out.println(text(suppression, "id"));
    }
  }

  /** For a newsletter, add its "topic" to the question; for a password reset, "transactional", true. */
  static void check(List<String> emails) throws IOException, InterruptedException {
    for (JsonElement result : call("/suppressions/check", Map.of("emails", emails)).getAsJsonArray("data")) {
      System.out.println(text(result, "email") + "\t" + text(result, "verdict"));
    }
  }

  /**
   * curl reads the result while it sends the file; HttpClient sends everything first. If the connection is cut, the beginning of
   * the result stays in a file of another name, as does a refusal.
   */
  static void scrub(String file, String cleanFile) throws IOException, InterruptedException {
    Process curl =
        new ProcessBuilder(
                "curl", "--silent", "--show-error", "--fail-with-body", "--config", "-", "--request", "POST",
                "--header", "Content-Type: text/csv", "--upload-file", file, "--output", cleanFile + ".part",
                URL + "/scrubs")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (var input = curl.getOutputStream()) {
      input.write(("header = \"Authorization: Bearer " + API_KEY + "\"").getBytes(StandardCharsets.UTF_8));
    }
    if (curl.waitFor() != 0) {
      throw new IOException("The file was not scrubbed.");
    }
    replace(Path.of(cleanFile + ".part"), Path.of(cleanFile));
  }

  static void changes(Path cursorFile) throws IOException, InterruptedException {
    boolean hasMore = true;
    while (hasMore) {
      String after = Files.exists(cursorFile) ? "&after=" + Files.readString(cursorFile) : "";
      JsonObject page = call("/changes?limit=1000" + after, null);
      for (JsonElement change : page.getAsJsonArray("data")) {
        System.out.println(text(change, "type") + "\t" + text(change, "email")); // your work, which must be safe to repeat
      }
      Path next = Files.writeString(Path.of(cursorFile + ".new"), text(page, "cursor"));
      replace(next, cursorFile);
      hasMore = page.get("has_more").getAsBoolean();
    }
  }

  static void verify(String id, String timestamp, String signatures) throws IOException, GeneralSecurityException {
    byte[] body = System.in.readAllBytes();
    String secret = System.getenv("SIGNING_SECRET").replaceFirst("^whsec_", "");
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret), "HmacSHA256"));
    mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
    byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(StandardCharsets.UTF_8);
    boolean isSigned = false;
    for (String signature : signatures.split(" ")) {
      isSigned |= MessageDigest.isEqual(expected, signature.getBytes(StandardCharsets.UTF_8));
    }
    if (!isSigned || Math.abs(Instant.now().getEpochSecond() - Long.parseLong(timestamp)) > 300) {
      throw new GeneralSecurityException("The event is not signed by the service, or too old.");
    }
    System.out.println(text(JsonParser.parseString(new String(body, StandardCharsets.UTF_8)), "type"));
  }

  private static String text(JsonElement object, String name) {
    return object.getAsJsonObject().get(name).getAsString();
  }

  private static void replace(Path file, Path target) throws IOException {
    Files.move(file, target, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
  }
}
