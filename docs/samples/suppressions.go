// With Go 1.19 or newer. README.md says what the commands do: go run suppressions.go check ada@example.com
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

var errNotSigned = errors.New("the event is not signed by the service, or too old")

func main() {
	commands := map[string]func(...string) error{
		"add": add, "check": check, "scrub": scrub, "changes": changes, "verify": verify,
	}
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: add | check | scrub | changes | verify")
		os.Exit(2)
	}
	if err := commands[os.Args[1]](os.Args[2:]...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func request(method, path, contentType string, body io.Reader, timeout time.Duration) (*http.Response, error) {
	req, err := http.NewRequest(method, os.Getenv("SUPPRESSIONS_URL")+path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+os.Getenv("SUPPRESSIONS_API_KEY"))
	req.Header.Set("Content-Type", contentType)
	resp, err := (&http.Client{Timeout: timeout}).Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 400 {
		defer resp.Body.Close()
		message, _ := io.ReadAll(resp.Body)
		return nil, fmt.Errorf("%s %s", resp.Status, message)
	}
	return resp, nil
}

func call(method, path string, body, result any) error {
	var encoded bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&encoded).Encode(body); err != nil {
			return err
		}
	}
	resp, err := request(method, path, "application/json", &encoded, 10*time.Second)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return json.NewDecoder(resp.Body).Decode(result)
}

func add(emails ...string) error {
	var added struct{ Data []struct{ ID string } }
	if err := call("POST", "/suppressions/batch/add", map[string]any{"emails": emails}, &added); err != nil {
		return err
	}
	for _, suppression := range added.Data {
		fmt.Println(suppression.ID)
	}
	return nil
}

// For a newsletter, add its "topic" to the question; for a password reset, "transactional": true.
func check(emails ...string) error {
	var checked struct{ Data []struct{ Email, Verdict string } }
	if err := call("POST", "/suppressions/check", map[string]any{"emails": emails}, &checked); err != nil {
		return err
	}
	for _, result := range checked.Data {
		fmt.Printf("%s\t%s\n", result.Email, result.Verdict)
	}
	return nil
}

// If the connection is cut, the beginning of the result stays in a file of another name.
func scrub(args ...string) error {
	file, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer file.Close()
	resp, err := request("POST", "/scrubs", "text/csv", file, 0)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	part, err := os.Create(args[1] + ".part")
	if err != nil {
		return err
	}
	defer part.Close()
	if _, err := io.Copy(part, resp.Body); err != nil {
		return err
	}
	return os.Rename(part.Name(), args[1])
}

func changes(args ...string) error {
	for hasMore := true; hasMore; {
		after, err := os.ReadFile(args[0])
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		path := "/changes?limit=1000"
		if err == nil {
			path += "&after=" + string(after)
		}
		var page struct {
			Data    []struct{ Type, Email string }
			Cursor  string
			HasMore bool `json:"has_more"`
		}
		if err := call("GET", path, nil, &page); err != nil {
			return err
		}
		for _, change := range page.Data {
			fmt.Printf("%s\t%s\n", change.Type, change.Email) // your work, which must be safe to repeat
		}
		if err := os.WriteFile(args[0]+".new", []byte(page.Cursor), 0o600); err != nil {
			return err
		}
		if err := os.Rename(args[0]+".new", args[0]); err != nil {
			return err
		}
		hasMore = page.HasMore
	}
	return nil
}

func verify(args ...string) error {
	id, timestamp, signatures := args[0], args[1], args[2]
	body, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("SIGNING_SECRET"), "whsec_"))
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	isSigned := false
	for _, signature := range strings.Fields(signatures) {
		isSigned = hmac.Equal(expected, []byte(signature)) || isSigned
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || !isSigned || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return errNotSigned
	}
	var event struct{ Type string }
	if err := json.Unmarshal(body, &event); err != nil {
		return err
	}
	fmt.Println(event.Type)
	return nil
}
