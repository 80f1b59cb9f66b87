package trace

import (
	"slices"
	"testing"
)

// Dummy keys and ordinary words are no secrets, whatever their names; keys and passwords
// are.
func TestOrdinary(t *testing.T) {
	for _, v := range []string{"ollama", "OLLAMA", "Ollama", "none", "dummy", "not-needed", "lm-studio", "EMPTY", "engineering", "production", "xxxxxxxxxxxx", "************", "123456", "1234567890", "your-api-key-here", "<your_api_key>", "no_key_required", "changeme", "sk-dummy", "test", "localhost", "größer", "Über", "", " "} {
		if !Ordinary(v) || SecretValue("api_key", v) || len(HeaderSecrets("Authorization", "Bearer "+v)) > 0 {
			t.Errorf("%q is taken for a secret", v)
		}
	}
	for _, v := range []string{"sk-proj-abc123", "hunter2x", "p4ssw0rd!", "correcthorsebatterystaple", "correct horse battery", "aBcDeFgHi", "839201", "tok-0123456789", "qwertzuiop!", "a1b2c3"} {
		if Ordinary(v) || !SecretValue("api_key", v) {
			t.Errorf("%q is not taken for a secret", v)
		}
	}
}

// A password may be a word; a dummy never is a secret.
func TestPasswords(t *testing.T) {
	for value, want := range map[string]bool{"plainsecret": true, "sunshine": true, "changeme": false, "xxxxxxxx": false, "abc": false, "secret": false} {
		if SecretValue("db_password", value) != want || SecretValue("CLIENT_SECRET", value) != want {
			t.Errorf("%s", value)
		}
	}
}

func TestHeaderSecrets(t *testing.T) {
	for _, one := range []struct {
		name, value string
		want        []string
	}{
		{"x-org", "engineering", nil}, {"User-Agent", "golem/1.0 (linux)", nil}, {"anthropic-version", "2023-06-01", nil}, {"HTTP-Referer", "https://example.com/app1", nil}, {"X-Title", "My application of 2026", nil}, {"OpenAI-Organization", "org-abcdefghijk", nil},
		{"Authorization", "Bearer sk-abc123", []string{"Bearer sk-abc123", "sk-abc123"}}, {"x-api-key", "k3yk3y", []string{"k3yk3y"}}, {"X-Auth-Token", "abc123", []string{"abc123"}}, {"X-Custom", "a1b2c3d4e5f6g7h8i9j0", []string{"a1b2c3d4e5f6g7h8i9j0"}},
		{"Cookie", "sid=abc123; x=y1", []string{"sid=abc123; x=y1"}}, {"Authorization", "Basic dXNlcjpwYXNz", []string{"Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"}},
	} {
		if got := HeaderSecrets(one.name, one.value); !slices.Equal(got, one.want) {
			t.Errorf("%s: %s gave %q", one.name, one.value, got)
		}
	}
}
