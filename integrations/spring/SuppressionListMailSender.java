package com.example.mail;

import jakarta.mail.Address;
import jakarta.mail.Message.RecipientType;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.mail.MailException;
import org.springframework.mail.MailParseException;
import org.springframework.mail.MailPreparationException;
import org.springframework.mail.SimpleMailMessage;
import org.springframework.mail.javamail.JavaMailSender;
import org.springframework.mail.javamail.MimeMailMessage;
import org.springframework.mail.javamail.MimeMessagePreparator;

/**
 * Asks the suppression list before Spring sends an email. Works with Java 11 and newer, and Spring 6 and newer; for Spring 5,
 * replace jakarta.mail by javax.mail. Tested by hand with Spring 6.2 and 7.0; CI has only Spring 4.3, migrated to Jakarta Mail
 * 2.0. Copy this file, and wrap your mail sender:
 *
 * <pre>
 * &#64;Bean
 * JavaMailSender mailSender(Environment env) {
 *   JavaMailSenderImpl smtp = new JavaMailSenderImpl();
 *   smtp.setHost(env.getProperty("spring.mail.host"));
 *   smtp.setDefaultEncoding("UTF-8");
 *   return new SuppressionListMailSender(smtp, "https://suppressions.example.com", apiKey, OnUnavailable.THROW);
 * }
 * </pre>
 *
 * To set the purpose of an email: message.setHeader("X-Suppression-Purpose", "transactional"). integrations/README.md describes
 * the options and what they do.
 */
@SuppressWarnings("serial")
public class SuppressionListMailSender implements JavaMailSender {
  public enum OnUnavailable { SEND, THROW }

  public enum OnSuppressed { DROP, THROW }

  private static final String PURPOSE_HEADER = "X-Suppression-Purpose";
  private static final int MAX_ADDRESSES = 1000;
  private static final RecipientType[] FIELDS = {RecipientType.TO, RecipientType.CC, RecipientType.BCC};
  private static final System.Logger LOG = System.getLogger(SuppressionListMailSender.class.getName());

  private final JavaMailSender inner;
  private final URI uri;
  private final String apiKey;
  private final OnUnavailable onUnavailable;
  private final HttpClient client = HttpClient.newHttpClient();
  private OnSuppressed onSuppressed = OnSuppressed.DROP;
  private String purpose = "any";
  private int timeoutMs = 2000;

  public SuppressionListMailSender(JavaMailSender inner, String url, String apiKey, OnUnavailable onUnavailable) {
    if (onUnavailable == null) {
      throw new IllegalArgumentException("Set onUnavailable: what to do if the suppression list is unavailable.");
    }
    this.inner = inner;
    this.uri = URI.create(url.replaceAll("/+$", "") + "/suppressions/check");
    this.apiKey = apiKey;
    this.onUnavailable = onUnavailable;
  }

  public void setOnSuppressed(OnSuppressed onSuppressed) {
    this.onSuppressed = onSuppressed;
  }

  /** Sets the purpose of emails without a header for it: any (the default), transactional, or the id or key of a topic. */
  public void setPurpose(String purpose) {
    this.purpose = purpose;
  }

  public void setTimeoutMs(int timeoutMs) {
    this.timeoutMs = timeoutMs;
  }

  @Override
  public void send(MimeMessage... messages) {
    Map<MimeMessage, String[]> kept = new LinkedHashMap<>();
    try {
      for (MimeMessage message : messages) {
        String[] stated = message.getHeader(PURPOSE_HEADER);
        if (apply(message)) {
          kept.put(message, stated);
        }
      }
      if (!kept.isEmpty()) {
        inner.send(kept.keySet().toArray(new MimeMessage[0]));
      }
    } catch (MessagingException error) {
      throw new MailParseException(error);
    } catch (MailException error) {
      kept.forEach(SuppressionListMailSender::restorePurpose);
      throw error;
    }
  }

  /** Drops the suppressed recipients of a message, and its header for the purpose. False if nobody is left. */
  private boolean apply(MimeMessage message) throws MessagingException {
    Map<RecipientType, List<InternetAddress>> recipients = new LinkedHashMap<>();
    Set<String> emails = new LinkedHashSet<>();
    for (RecipientType field : FIELDS) {
      recipients.put(field, flatten(message.getRecipients(field)));
      recipients.get(field).forEach(address -> emails.add(address.getAddress()));
    }
    boolean wantsLinks = emails.size() == 1 && message.getHeader("List-Unsubscribe") == null;
    String stated = message.getHeader(PURPOSE_HEADER, null);
    boolean isStated = stated != null && !stated.trim().isEmpty();
    Check check = new Check(new ArrayList<>(emails), isStated ? stated.trim() : purpose, wantsLinks);
    check.run();
    if (!check.suppressed.isEmpty() && onSuppressed == OnSuppressed.THROW) {
      throw new RecipientsSuppressedException(check.suppressed);
    }
    message.removeHeader(PURPOSE_HEADER);
    if (!check.suppressed.isEmpty() && check.suppressed.containsAll(emails)) {
      return false;
    }
    for (RecipientType field : FIELDS) {
      if (recipients.get(field).removeIf(address -> check.suppressed.contains(address.getAddress()))) {
        message.setRecipients(field, recipients.get(field).toArray(new Address[0]));
      }
    }
    for (Map.Entry<String, String> link : check.links.entrySet()) {
      message.setHeader(link.getKey(), link.getValue());
    }
    return true;
  }

  private static List<InternetAddress> flatten(Address[] addresses) throws MessagingException {
    List<InternetAddress> flat = new ArrayList<>();
    for (Address each : addresses == null ? new Address[0] : addresses) {
      InternetAddress address = (InternetAddress) each;
      flat.addAll(address.isGroup() ? flatten(address.getGroup(false)) : List.of(address));
    }
    return flat;
  }

  private static void restorePurpose(MimeMessage message, String[] stated) {
    try {
      if (stated != null) {
        message.setHeader(PURPOSE_HEADER, stated[0]);
      }
    } catch (MessagingException error) {
      throw new MailParseException(error);
    }
  }

  /** A check of all recipients of an email. */
  private class Check {
    final Set<String> suppressed = new LinkedHashSet<>();
    final Map<String, String> links = new LinkedHashMap<>();
    private final List<String> emails;
    private final String purpose;
    private final boolean wantsLinks;

    Check(List<String> emails, String purpose, boolean wantsLinks) {
      this.emails = emails;
      this.purpose = purpose;
      this.wantsLinks = wantsLinks && !purpose.equals("transactional");
    }

    void run() {
      try {
        for (int first = 0; first < emails.size(); first += MAX_ADDRESSES) {
          request(emails.subList(first, Math.min(first + MAX_ADDRESSES, emails.size())), wantsLinks);
        }
      } catch (CheckFailed error) {
        String reason = uri + ": " + error.getMessage();
        if (onUnavailable == OnUnavailable.THROW) {
          throw new SuppressionListUnavailableException(reason);
        }
        LOG.log(System.Logger.Level.WARNING,
            "The suppression list could not be asked (" + reason + "). The email is sent without a check.");
      }
    }

    private void request(List<String> batch, boolean withLinks) throws CheckFailed {
      HttpResponse<String> response = post(bodyFor(batch, withLinks));
      if (withLinks && response.statusCode() == 422) {
        request(batch, false); // The service has no PUBLIC_URL yet, so there are no links.
        return;
      }
      String body = response.body();
      if (response.statusCode() != 200) {
        Matcher code = Pattern.compile("\"code\"\\s*:\\s*\"(\\w+)\"").matcher(body);
        throw new CheckFailed("HTTP " + response.statusCode() + (code.find() ? " " + code.group(1) : ""));
      }
      // The verdicts are in the order of the addresses. In the text of an address, these quotation marks are escaped.
      List<String> verdicts = new ArrayList<>();
      Pattern.compile("\"verdict\"\\s*:\\s*\"(\\w+)\"").matcher(body).results().forEach(found -> verdicts.add(found.group(1)));
      if (verdicts.size() != batch.size()) {
        throw new CheckFailed("an unexpected response");
      }
      for (int index = 0; index < batch.size(); index++) {
        if (verdicts.get(index).equals("suppressed")) {
          suppressed.add(batch.get(index));
        }
      }
      Pattern.compile("\"(List-[\\w-]+)\"\\s*:\\s*\"([^\"\\\\]*)\"").matcher(body).results()
          .forEach(header -> links.put(header.group(1), header.group(2)));
    }

    private String bodyFor(List<String> batch, boolean withLinks) {
      List<String> quoted = new ArrayList<>();
      batch.forEach(email -> quoted.add(quote(email)));
      String body = "{\"emails\":[" + String.join(",", quoted) + "]";
      if (purpose.equals("transactional")) {
        body += ",\"transactional\":true";
      } else if (!purpose.equals("any")) {
        body += ",\"topic\":" + quote(purpose);
      }
      return body + (withLinks ? ",\"include\":[\"unsubscribe\"]}" : "}");
    }

    private String quote(String text) {
      return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replaceAll("\\p{Cntrl}", " ") + '"';
    }

    private HttpResponse<String> post(String body) throws CheckFailed {
      HttpRequest request = HttpRequest.newBuilder(uri)
          .header("Authorization", "Bearer " + apiKey)
          .header("Content-Type", "application/json")
          .POST(HttpRequest.BodyPublishers.ofString(body))
          .build();
      var response = client.sendAsync(request, HttpResponse.BodyHandlers.ofString());
      try {
        // The timeout of HttpRequest does not cover the body.
        return response.get(timeoutMs, TimeUnit.MILLISECONDS);
      } catch (TimeoutException error) {
        response.cancel(true);
        throw new CheckFailed("no response within " + timeoutMs + " ms");
      } catch (ExecutionException error) {
        throw new CheckFailed(String.valueOf(error.getCause()));
      } catch (InterruptedException error) {
        Thread.currentThread().interrupt();
        throw new CheckFailed("interrupted");
      }
    }
  }

  /** The check failed for this reason. */
  private static class CheckFailed extends Exception {
    CheckFailed(String reason) {
      super(reason);
    }
  }

  /** The email was refused, because onSuppressed is THROW. */
  public static class RecipientsSuppressedException extends MailException {
    private final transient Set<String> recipients;

    RecipientsSuppressedException(Set<String> recipients) {
      super("The email was not sent to anybody. Suppressed recipients: " + recipients.size() + ".");
      this.recipients = recipients;
    }

    public Set<String> getRecipients() {
      return recipients;
    }
  }

  /** The email was not sent, because onUnavailable is THROW. */
  public static class SuppressionListUnavailableException extends MailException {
    SuppressionListUnavailableException(String reason) {
      super("The suppression list could not be asked (" + reason + "), so the email was not sent.");
    }
  }

  @Override
  public MimeMessage createMimeMessage() {
    return inner.createMimeMessage();
  }

  @Override
  public MimeMessage createMimeMessage(InputStream contentStream) {
    return inner.createMimeMessage(contentStream);
  }

  @Override
  public void send(MimeMessage message) {
    send(new MimeMessage[] {message});
  }

  @Override
  public void send(MimeMessagePreparator preparator) {
    send(new MimeMessagePreparator[] {preparator});
  }

  @Override
  public void send(MimeMessagePreparator... preparators) {
    List<MimeMessage> messages = new ArrayList<>();
    for (MimeMessagePreparator preparator : preparators) {
      MimeMessage message = createMimeMessage();
      try {
        preparator.prepare(message);
      } catch (MailException error) {
        throw error;
      } catch (MessagingException error) {
        throw new MailParseException(error);
      } catch (Exception error) {
        throw new MailPreparationException(error);
      }
      messages.add(message);
    }
    send(messages.toArray(new MimeMessage[0]));
  }

  @Override
  public void send(SimpleMailMessage message) {
    send(new SimpleMailMessage[] {message});
  }

  @Override
  public void send(SimpleMailMessage... simpleMessages) {
    List<MimeMessage> messages = new ArrayList<>();
    for (SimpleMailMessage simple : simpleMessages) {
      MimeMailMessage message = new MimeMailMessage(createMimeMessage());
      simple.copyTo(message);
      messages.add(message.getMimeMessage());
    }
    send(messages.toArray(new MimeMessage[0]));
  }
}
