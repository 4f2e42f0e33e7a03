package com.example.mail;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import jakarta.mail.Message.RecipientType;
import jakarta.mail.internet.InternetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import org.springframework.mail.MailParseException;
import org.springframework.mail.javamail.JavaMailSender;
import org.springframework.mail.javamail.JavaMailSenderImpl;

/** Runs the cases of cases.json against Spring's JavaMailSender: see driver/runner.js. */
public class RunCases {
  public static void main(String[] arguments) {
    expectParseException();
    Scanner lines = new Scanner(System.in, "UTF-8");
    while (lines.hasNextLine()) {
      JsonObject answer = new JsonObject();
      answer.add("error", JsonNull.INSTANCE);
      try {
        send(new Gson().fromJson(lines.nextLine(), JsonObject.class));
      } catch (Exception error) {
        answer.addProperty("error", kindOf(error));
        answer.addProperty("message", error.getMessage());
      }
      System.out.println(new Gson().newBuilder().serializeNulls().create().toJson(answer));
    }
  }

  /** A preparator that cannot read an address fails as it does without the integration. */
  private static void expectParseException() {
    JavaMailSender sender =
        new SuppressionListMailSender(
            new JavaMailSenderImpl(), "http://127.0.0.1", "re_unused", SuppressionListMailSender.OnUnavailable.THROW);
    try {
      sender.send(message -> message.setFrom(new InternetAddress("not an address")));
    } catch (MailParseException error) {
      return;
    }
    throw new AssertionError("no exception");
  }

  private static String kindOf(Exception error) {
    if (error instanceof SuppressionListMailSender.RecipientsSuppressedException) {
      return "suppressed";
    }
    if (error instanceof SuppressionListMailSender.SuppressionListUnavailableException) {
      return "unavailable";
    }
    return error instanceof IllegalArgumentException ? "configuration" : error.toString();
  }

  private static void send(JsonObject question) throws Exception {
    JsonObject smtp = question.getAsJsonObject("smtp");
    JavaMailSenderImpl inner = new JavaMailSenderImpl();
    inner.setHost(smtp.get("host").getAsString());
    inner.setPort(smtp.get("port").getAsInt());
    SuppressionListMailSender sender = create(inner, question.getAsJsonObject("options"));
    JsonObject mail = question.getAsJsonObject("mail");
    sender.send(message -> {
      message.setFrom(new InternetAddress(mail.get("from").getAsString()));
      message.setRecipients(RecipientType.TO, read(mail.getAsJsonArray("to")));
      message.setRecipients(RecipientType.CC, read(mail.getAsJsonArray("cc")));
      message.setRecipients(RecipientType.BCC, read(mail.getAsJsonArray("bcc")));
      message.setSubject(mail.get("subject").getAsString());
      message.setText(mail.get("text").getAsString());
      for (Map.Entry<String, JsonElement> header : mail.getAsJsonObject("headers").entrySet()) {
        message.setHeader(header.getKey(), header.getValue().getAsString());
      }
    });
  }

  private static SuppressionListMailSender create(JavaMailSenderImpl inner, JsonObject options) {
    SuppressionListMailSender sender = new SuppressionListMailSender(
        inner,
        options.get("url").getAsString(),
        options.get("apiKey").getAsString(),
        options.get("onUnavailable").isJsonNull()
            ? null
            : SuppressionListMailSender.OnUnavailable.valueOf(options.get("onUnavailable").getAsString().toUpperCase()));
    if (options.has("onSuppressed")) {
      sender.setOnSuppressed(
          SuppressionListMailSender.OnSuppressed.valueOf(options.get("onSuppressed").getAsString().toUpperCase()));
    }
    if (options.has("purpose")) {
      sender.setPurpose(options.get("purpose").getAsString());
    }
    if (options.has("timeoutMs")) {
      sender.setTimeoutMs(options.get("timeoutMs").getAsInt());
    }
    return sender;
  }

  private static InternetAddress[] read(JsonArray texts) throws Exception {
    List<InternetAddress> addresses = new ArrayList<>();
    for (JsonElement text : texts) {
      addresses.addAll(List.of(InternetAddress.parse(text.getAsString(), false)));
    }
    return addresses.toArray(new InternetAddress[0]);
  }
}
