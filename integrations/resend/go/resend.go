package suppressionlist

import (
	"context"
	"strings"

	"github.com/resend/resend-go/v3"
)

// For the official Resend client for Go, copy this file and suppressionlist.go into a folder of your module:
//
//	sent, err := list.SendEmail(ctx, client, &resend.SendEmailRequest{…}, nil)
//
// To set the purpose of an email, add X-Suppression-Purpose to its Headers.

// SendEmail is like client.Emails.SendWithOptions. It leaves out the suppressed addresses of To, Cc, and Bcc. If nobody is left,
// it sends nothing and returns nil.
func (l *List) SendEmail(ctx context.Context, client *resend.Client, params *resend.SendEmailRequest, options *resend.SendEmailOptions) (*resend.SendEmailResponse, error) {
	checked, err := l.apply(params)
	if err != nil || checked == nil {
		return nil, err
	}
	if options == nil {
		options = &resend.SendEmailOptions{}
	}
	return client.Emails.SendWithOptions(ctx, checked, options)
}

// SendBatch is like client.Batch.SendWithOptions, without the emails to nobody. If none is left, it sends nothing and returns nil.
func (l *List) SendBatch(ctx context.Context, client *resend.Client, params []*resend.SendEmailRequest, options *resend.BatchSendEmailOptions) (*resend.BatchEmailResponse, error) {
	var left []*resend.SendEmailRequest
	for _, each := range params {
		checked, err := l.apply(each)
		if err != nil {
			return nil, err
		}
		if checked != nil {
			left = append(left, checked)
		}
	}
	if len(left) == 0 {
		return nil, nil
	}
	if options == nil {
		options = &resend.BatchSendEmailOptions{}
	}
	return client.Batch.SendWithOptions(ctx, left, options)
}

// apply returns a copy of an email without its suppressed recipients and its header for the purpose, or nil if nobody is left.
func (l *List) apply(params *resend.SendEmailRequest) (*resend.SendEmailRequest, error) {
	checked := *params
	checked.Headers = map[string]string{}
	purpose, hasLink := l.options.Purpose, false
	for name, value := range params.Headers {
		if strings.EqualFold(name, "X-Suppression-Purpose") {
			if value != "" {
				purpose = value
			}
			continue
		}
		hasLink = hasLink || strings.EqualFold(name, "List-Unsubscribe")
		checked.Headers[name] = value
	}
	var recipients []string
	for _, field := range [][]string{params.To, params.Cc, params.Bcc} {
		recipients = append(recipients, field...)
	}
	emails := addressesOf(recipients)
	suppressed, links, err := l.filter(emails, purpose, hasLink)
	if err != nil || len(emails) > 0 && len(suppressed) == len(emails) {
		return nil, err
	}
	for name, value := range links {
		checked.Headers[name] = value
	}
	checked.To, checked.Cc, checked.Bcc = keep(params.To, suppressed), keep(params.Cc, suppressed), keep(params.Bcc, suppressed)
	// Resend requires a recipient in To. If only those in Bcc are left, none of them may see another one.
	switch {
	case len(checked.To) > 0:
	case len(checked.Cc) > 0:
		checked.To, checked.Cc = checked.Cc, nil
	case len(checked.Bcc) == 1:
		checked.To, checked.Bcc = checked.Bcc, nil
	case len(checked.Bcc) > 1:
		checked.To = []string{params.From}
	}
	return &checked, nil
}

func keep(recipients []string, suppressed map[string]bool) []string {
	var kept []string
	for _, recipient := range recipients {
		if !suppressed[addressOf(recipient)] {
			kept = append(kept, recipient)
		}
	}
	return kept
}
