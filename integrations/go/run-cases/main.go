// Runs the cases of cases.json against net/smtp: see driver/runner.js.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"example.com/suppressionlist"
)

type question struct {
	Options map[string]any
	Mail    struct {
		From, Subject, Text string
		To, Cc, Bcc         []string
		Headers             map[string]string
	}
	SMTP struct {
		Host string
		Port int
	}
	API string
}

func send(q question) error {
	text := func(name string) string { value, _ := q.Options[name].(string); return value }
	timeout, _ := q.Options["timeoutMs"].(float64)
	list, err := suppressionlist.New(suppressionlist.Options{
		URL: text("url"), APIKey: text("apiKey"), OnUnavailable: text("onUnavailable"), OnSuppressed: text("onSuppressed"),
		Purpose: text("purpose"), TimeoutMs: int(timeout),
	})
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	return deliver(list, q, len(os.Args) > 1)
}

var deliver = func(list *suppressionlist.List, q question, _ bool) error {
	to := append(append(q.Mail.To, q.Mail.Cc...), q.Mail.Bcc...)
	msg := fmt.Sprintf("From: %s\r\nTo: %s\r\nSubject: %s\r\n", q.Mail.From, strings.Join(q.Mail.To, ", "), q.Mail.Subject)
	for name, value := range q.Mail.Headers {
		msg += name + ": " + value + "\r\n"
	}
	msg += "\r\n" + q.Mail.Text + "\r\n"
	return list.SendMail(fmt.Sprintf("%s:%d", q.SMTP.Host, q.SMTP.Port), nil, "shop@example.net", to, []byte(msg))
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var q question
		err := json.Unmarshal(lines.Bytes(), &q)
		if err == nil {
			err = send(q)
		}
		var suppressed *suppressionlist.SuppressedError
		answer := struct {
			Error   *string `json:"error"`
			Message string  `json:"message"`
		}{}
		if err != nil {
			kind := err.Error()
			switch {
			case errors.As(err, &suppressed):
				kind = "suppressed"
			case errors.Is(err, suppressionlist.ErrUnavailable):
				kind = "unavailable"
			case strings.HasPrefix(kind, "configuration"):
				kind = "configuration"
			}
			answer.Error, answer.Message = &kind, err.Error()
		}
		text, _ := json.Marshal(answer)
		fmt.Println(string(text))
	}
}
