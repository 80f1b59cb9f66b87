package trace

import "testing"

// A variable that every environment has, a path, an address or a short name is no secret;
// everything else is one, and so is what is secret by the variable's name.
func TestPlainVariable(t *testing.T) {
	for _, v := range [][2]string{
		{"HOME", "/home/ana"}, {"home", `C:\Users\Ana 2`}, {"USER", "ana-maria1990"}, {"LC_ALL", "de_DE.UTF-8"}, {"XDG_DATA_HOME", "/home/ana/.local"}, {"PATH", "/usr/bin:/bin"},
		{"DATA_DIR", "/srv/data/2026"}, {"DATA_DIR", "~/notes"}, {"ROOT", `D:\data`}, {"DATA", "/data"}, {"TEST_DIR", "/tmp/TestX3916201234/001"},
		{"WIKI_URL", "https://wiki.example.com/mcp/v1"}, {"API_HOST", "http://localhost:8080"}, {"REGION", "eu-west-1"}, {"STAGE", "prod-2"}, {"TEAM", "engineering"},
	} {
		if !PlainVariable(v[0], v[1]) {
			t.Errorf("%s=%s is taken for a secret", v[0], v[1])
		}
	}
	for _, v := range [][2]string{
		{"DATA_TOKEN", "/srv/data/2026"}, {"API_KEY", "eu-west-1"}, {"DB_PASSWORD", "/home/ana"}, {"CLIENT_SECRET", "https://a.example/b"}, {"FOO", "hunter2x"}, {"FOO", "p4ssw0rd!"},
		{"FOO", "sk-proj-abc123"}, {"FOO", "839201"}, {"FOO", "correct horse battery staple"}, {"FOO", "a1b2c3"}, {"FOO", "98-34-56"},
		{"DSN", "postgres://me:secret1@host/db"}, {"HOOK", "https://hooks.example.com/services/T0A1B2C3D/x9f8e7d6"}, {"HOOK", "https://a.example/x?key=abcdef"}, {"HOOK", "https://a.example/#abcdef1"},
		{"FOO", "/AbCdEf0123456789AbCdEf0123456789XyZ0"}, {"FOO", "/AbC12+xyz=/q"}, {"FOO", "/srv/ghp_0123456789abcdefghijklmnopqrstuvwxyz"},
	} {
		if PlainVariable(v[0], v[1]) {
			t.Errorf("%s=%s is not taken for a secret", v[0], v[1])
		}
	}
}
