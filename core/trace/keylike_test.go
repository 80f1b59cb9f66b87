package trace

import "testing"

// Keys and tokens are recognised in what a person types; digests, names, addresses and
// ordinary text are not.
func TestLooksLikeKey(t *testing.T) {
	for _, key := range []string{
		"sk-proj-4f8a0c2e9b7d4f8a0c2e9b7d", "use ghp_0123456789abcdefghijABCDEFGHIJ012345 please", "OPENAI_API_KEY=sk-ant-api03-abcdefghijklmnop",
		"(xoxb-1234567890-abcdefghijkl)", "-----BEGIN OPENSSH PRIVATE KEY-----", "Zx81kfPq03LmNb7YtR2wVc9A", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
	} {
		if !LooksLikeKey(key) {
			t.Errorf("%s is not recognised", key)
		}
	}
	for _, text := range []string{
		"", "Redis", "put it into /srv/data/2026/Reports-of-March/summary.md", "commit 371b1eff0a5bd1c27e5cbb79f3a8a7f2d9f50c11",
		"550e8400-e29b-41d4-a716-446655440000", "https://example.com/Path1/with/LongNames2", "sk-ip this one", "internationalisation-of-everything",
		"E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855", "日本語日本語日本語日本語Aa1",
	} {
		if LooksLikeKey(text) {
			t.Errorf("%s is taken for a key", text)
		}
	}
}
