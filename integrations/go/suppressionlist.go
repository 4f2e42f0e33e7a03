// Package suppressionlist asks the suppression list before an email is sent. It works with Go 1.18 and newer. Copy this file
// into a folder of your module, and use SendMail instead of that of net/smtp:
//
//	list, err := suppressionlist.New(suppressionlist.Options{
//		URL:           "https://suppressions.example.com",
//		APIKey:        os.Getenv("SUPPRESSIONS_API_KEY"),
//		OnUnavailable: suppressionlist.Throw,
//	})
//	err = list.SendMail("mail.example.com:587", auth, from, to, msg)
//
// To set the purpose of an email, add the header X-Suppression-Purpose to msg. integrations/README.md describes the options
// and what they do.
package suppressionlist

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/smtp"
	"regexp"
	"sort"
	"strings"
	"time"
)

// Values of OnUnavailable (Send, Throw) and OnSuppressed (Drop, Throw).
const (
	Send  = "send"
	Drop  = "drop"
	Throw = "throw"
)

const maxAddresses = 1000

var inBrackets = regexp.MustCompile(`<([^<>]*)>\s*$`)

// Options of New. URL, APIKey, and OnUnavailable are required.
type Options struct {
	URL           string // the base URL of the service
	APIKey        string
	OnUnavailable string // Send or Throw: what to do if the list cannot be asked
	OnSuppressed  string // Drop (default) or Throw: what to do with suppressed recipients
	Purpose       string // "any" (default), "transactional", or the id or the key of a topic
	TimeoutMs     int    // how long a request to the service may take; 2000 if zero
	// Sends what the list allows; smtp.SendMail if nil.
	Send func(addr string, auth smtp.Auth, from string, to []string, msg []byte) error
}

// ErrUnavailable is wrapped by the error of an email that was not sent, because OnUnavailable is Throw.
var ErrUnavailable = errors.New("the suppression list could not be asked")

// SuppressedError is the error of an email that was not sent, because OnSuppressed is Throw.
type SuppressedError struct {
	Recipients []string // the suppressed addresses
}

func (e *SuppressedError) Error() string {
	return fmt.Sprintf("the email was not sent to anybody (suppressed recipients: %d)", len(e.Recipients))
}

// A List is safe for concurrent use.
type List struct {
	options Options
	client  http.Client
}

// New returns an error if an option is missing or unknown.
func New(options Options) (*List, error) {
	if options.URL == "" || options.APIKey == "" {
		return nil, errors.New("suppressionlist: URL and APIKey are required")
	}
	if options.OnUnavailable != Send && options.OnUnavailable != Throw {
		return nil, errors.New("suppressionlist: set OnUnavailable to Send or Throw: what to do if the list is unavailable")
	}
	if options.OnSuppressed != "" && options.OnSuppressed != Drop && options.OnSuppressed != Throw {
		return nil, errors.New("suppressionlist: OnSuppressed must be Drop or Throw")
	}
	if options.TimeoutMs == 0 {
		options.TimeoutMs = 2000
	}
	if options.Send == nil {
		options.Send = smtp.SendMail
	}
	return &List{options, http.Client{Timeout: time.Duration(options.TimeoutMs) * time.Millisecond}}, nil
}

// SendMail is like smtp.SendMail. It leaves out the suppressed addresses of to, which has all recipients: To, Cc, and Bcc. The
// headers To and Cc of msg remain as they are. If nobody is left, it sends nothing and returns nil.
func (l *List) SendMail(addr string, auth smtp.Auth, from string, to []string, msg []byte) error {
	msg, purpose, hasLink := takePurpose(msg)
	if purpose == "" {
		purpose = l.options.Purpose
	}
	emails := addressesOf(to)
	suppressed, links, err := l.filter(emails, purpose, hasLink)
	if err != nil || len(emails) > 0 && len(suppressed) == len(emails) {
		return err
	}
	var kept []string
	for _, email := range emails {
		if !suppressed[email] {
			kept = append(kept, email)
		}
	}
	names := make([]string, 0, len(links))
	for name := range links {
		names = append(names, name)
	}
	sort.Strings(names)
	var headers bytes.Buffer
	for _, name := range names {
		fmt.Fprintf(&headers, "%s: %s\r\n", name, links[name])
	}
	return l.options.Send(addr, auth, from, kept, append(headers.Bytes(), msg...))
}

// addressesOf returns the address of each recipient once.
func addressesOf(recipients []string) []string {
	var emails []string
	seen := map[string]bool{}
	for _, recipient := range recipients {
		email := addressOf(recipient)
		if !seen[email] {
			seen[email] = true
			emails = append(emails, email)
		}
	}
	return emails
}

// addressOf returns the address in "Ada <ada@example.com>".
func addressOf(recipient string) string {
	if found := inBrackets.FindStringSubmatch(recipient); found != nil {
		recipient = found[1]
	}
	return strings.TrimSpace(recipient)
}

// filter returns the suppressed addresses, and the headers of the only recipient's unsubscribe link.
func (l *List) filter(emails []string, purpose string, hasLink bool) (map[string]bool, map[string]string, error) {
	suppressed, links, err := l.check(emails, purpose, len(emails) == 1 && !hasLink)
	if err == nil && len(suppressed) > 0 && l.options.OnSuppressed == Throw {
		recipients := make([]string, 0, len(suppressed))
		for email := range suppressed {
			recipients = append(recipients, email)
		}
		sort.Strings(recipients)
		err = &SuppressedError{recipients}
	}
	return suppressed, links, err
}

func (l *List) check(emails []string, purpose string, wantsLinks bool) (map[string]bool, map[string]string, error) {
	suppressed := map[string]bool{}
	var links map[string]string
	for len(emails) > 0 {
		batch := emails
		if len(batch) > maxAddresses {
			batch = batch[:maxAddresses]
		}
		emails = emails[len(batch):]
		results, err := l.request(batch, purpose, wantsLinks && purpose != "transactional")
		if err != nil && l.options.OnUnavailable == Throw {
			return nil, nil, fmt.Errorf("%w (%v), so the email was not sent", ErrUnavailable, err)
		}
		if err != nil {
			log.Printf("the suppression list could not be asked (%v), so the email is sent without a check", err)
			break
		}
		for i, result := range results {
			if result.Verdict == "suppressed" {
				suppressed[batch[i]] = true
			}
		}
		links = results[0].Unsubscribe.Headers
	}
	return suppressed, links, nil
}

type result struct {
	Verdict     string
	Unsubscribe struct{ Headers map[string]string }
}

func (l *List) request(emails []string, purpose string, wantsLinks bool) ([]result, error) {
	body := map[string]any{"emails": emails}
	switch purpose {
	case "", "any":
	case "transactional":
		body["transactional"] = true
	default:
		body["topic"] = purpose
	}
	if wantsLinks {
		body["include"] = []string{"unsubscribe"}
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	url := strings.TrimRight(l.options.URL, "/") + "/suppressions/check"
	request, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+l.options.APIKey)
	request.Header.Set("Content-Type", "application/json")
	response, err := l.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var answer struct {
		Code string
		Data []result
	}
	err = json.NewDecoder(response.Body).Decode(&answer)
	if wantsLinks && response.StatusCode == http.StatusUnprocessableEntity {
		return l.request(emails, purpose, false) // The service has no PUBLIC_URL yet, so there are no links.
	}
	if response.StatusCode != http.StatusOK {
		return nil, errors.New(strings.TrimSpace(fmt.Sprintf("HTTP %d %s", response.StatusCode, answer.Code)))
	}
	if err != nil || len(answer.Data) != len(emails) {
		return nil, errors.New("an unexpected response")
	}
	for _, each := range answer.Data {
		if each.Verdict == "" {
			return nil, errors.New("an unexpected response")
		}
	}
	return answer.Data, nil
}

// takePurpose removes the header X-Suppression-Purpose, and also returns whether the email has a List-Unsubscribe.
func takePurpose(msg []byte) (rest []byte, purpose string, hasLink bool) {
	for isPurpose := false; len(msg) > 0; {
		end := bytes.IndexByte(msg, '\n') + 1
		if end == 0 {
			end = len(msg)
		}
		line := msg[:end]
		if len(bytes.TrimSpace(line)) == 0 {
			break
		}
		if line[0] != ' ' && line[0] != '\t' {
			name, value, _ := strings.Cut(string(line), ":")
			isPurpose = strings.EqualFold(name, "X-Suppression-Purpose")
			hasLink = hasLink || strings.EqualFold(name, "List-Unsubscribe")
			if isPurpose {
				purpose = strings.TrimSpace(value)
			}
		}
		if !isPurpose {
			rest = append(rest, line...)
		}
		msg = msg[end:]
	}
	return append(rest, msg...), purpose, hasLink
}
