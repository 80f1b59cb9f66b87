package config

import "testing"

// The default model is set with one change of the text, or not at all.
func TestSetModel(t *testing.T) {
	for before, want := range map[string]string{
		"":                                   "model: a:b-1\n",
		"# mine\n":                           "model: a:b-1\n# mine\n",
		"model: x:y # old\nnotify: bell\n":   "model: a:b-1 # old\nnotify: bell\n",
		"notify: bell\r\nmodel: \"x:y\"\r\n": "notify: bell\r\nmodel: a:b-1\r\n",
		"limits: {turns: 5}\n":               "model: a:b-1\nlimits: {turns: 5}\n",
		"model: [x:y, z:w]\n":                "",
		"{notify: bell}\n":                   "",
		"model:\n":                           "",
		"modle: x:y\n":                       "",
	} {
		got, err := SetModel([]byte(before), "a:b-1")
		if string(got) != want || (err != nil) != (want == "") {
			t.Errorf("%q: %q, %v; want %q", before, got, err, want)
		}
	}
	if got, err := SetModel(nil, "a:b #c"); err != nil || string(got) != "model: \"a:b #c\"\n" {
		t.Errorf("%q, %v", got, err)
	}
}
