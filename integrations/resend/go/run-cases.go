package main

import (
	"context"
	"net/url"

	"example.com/suppressionlist"
	"github.com/resend/resend-go/v3"
)

// Makes the case runner of go/ send with the Resend client for Go.
func init() {
	deliver = func(list *suppressionlist.List, q question, isBatch bool) error {
		client := resend.NewClient("re_key")
		client.BaseURL, _ = url.Parse(q.API)
		email := &resend.SendEmailRequest{
			From: q.Mail.From, To: q.Mail.To, Cc: q.Mail.Cc, Bcc: q.Mail.Bcc,
			Subject: q.Mail.Subject, Text: q.Mail.Text, Headers: q.Mail.Headers,
		}
		if isBatch {
			_, err := list.SendBatch(context.Background(), client, []*resend.SendEmailRequest{email}, nil)
			return err
		}
		_, err := list.SendEmail(context.Background(), client, email, nil)
		return err
	}
}
