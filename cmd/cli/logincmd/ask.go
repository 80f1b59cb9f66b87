package logincmd

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golem/core/fault"
	"golem/core/model"
	"golem/core/trace"
	"golem/core/ui"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/secretstore"
)

// asker asks the person at the terminal, if there is one.
type asker struct{ c *console.Console }

// canAsk reports whether somebody can be asked.
func (a asker) canAsk() bool { return console.IsTerminal(a.c.In) && a.c.Person() != nil }

// chances is how often one of a list is asked for.
const chances = 10

// choose asks for one of the names, by name or number. text is what is shown before the first
// question, what says what is asked for. An empty line means the usual one, if there is one. A
// part of several names lists these.
func (a asker) choose(ctx context.Context, text, what string, names []string, usual string) (string, error) {
	person, all := a.c.Person(), names
	for range chances {
		line, err := person.Ask(ctx, text+promptFor(what, usual))
		if err != nil {
			return "", fault.New(fault.Usage, "nobody answered").Hinting("golem login PROVIDER --model NAME asks less")
		}
		line = strings.TrimSpace(line)
		if line == "" && usual != "" {
			return usual, nil
		}
		if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(names) {
			return names[n-1], nil
		}
		for _, name := range all {
			if _, short, _ := strings.Cut(name, ":"); strings.EqualFold(line, name) || line != "" && line == short {
				return name, nil
			}
		}
		text = "There is no " + ui.OneLine(line) + " in this list"
		if some := containing(all, line); line != "" && len(some) > 0 {
			list := ""
			names, list = listed(some, "")
			text = fault.Count(len(some), "name") + " with " + ui.OneLine(line) + ":\n" + strings.TrimSuffix(list, "\n")
		} else if near := fault.Nearest(line, all); near != "" {
			text += "; did you mean " + near + "?"
		}
		text += "\n"
	}
	return "", console.Usage("none of the answers is in the list").Hinting("golem login PROVIDER --model NAME")
}

// promptFor returns the question for a name or a number of a list.
func promptFor(what, usual string) string {
	if usual != "" {
		return what + " (name or number; Enter: " + ui.OneLine(usual) + "): "
	}
	return what + " (name or number): "
}

// containing returns the names that have a text in them, in any case.
func containing(names []string, text string) (out []string) {
	for _, name := range names {
		if strings.Contains(strings.ToLower(name), strings.ToLower(text)) {
			out = append(out, name)
		}
	}
	return out
}

// notKey is an error that another key may mend.
type notKey struct{ error }

func (n notKey) Unwrap() error { return n.error }

// refused returns the error of a key that the provider refuses, for somebody who has just
// given it; nil if err is another one. variable is the one that the key would be kept for.
func refused(err error, variable string) error {
	if !model.RefusedKey(err, variable) {
		return nil
	}
	f := fault.Of(err, fault.Model)
	return notKey{fault.New(f.Code, "%s", strings.Replace(f.Message, " in "+variable, "", 1)).Hinting("copy the key again from the provider's page of keys")}
}

// key reads the key of a provider: at the terminal without showing it, else from standard
// input to its end. "" means that the key in the environment is used.
func (a asker) key(provider, variable string) (string, error) {
	set := a.c.Env[variable] != ""
	var text string
	var err error
	if a.canAsk() {
		prompt := "Key for " + provider + " (not shown): "
		if set {
			prompt = "Key for " + provider + " (not shown; Enter uses " + variable + " of the environment): "
		}
		text, err = console.ReadHidden(a.c.In, a.c.Err, prompt)
	} else if !console.IsTerminal(a.c.In) {
		var data []byte
		data, err = io.ReadAll(io.LimitReader(a.c.In, secretstore.MaxSecret+3))
		text = string(data)
	}
	if errors.Is(err, io.EOF) {
		return "", console.Usage("no key was given").Hinting("golem login %s asks again", provider)
	}
	if err != nil {
		return "", fault.New(fault.Usage, "the key could not be read: %s", disk.Cause(err)).Hinting("golem login %s < FILE", provider)
	}
	text = strings.TrimSpace(text)
	switch {
	case text == "" && set:
		return "", nil
	case text == "":
		return "", notKey{console.Usage("there is no key").Hinting("paste it at the terminal, or give it on standard input: golem login %s < FILE", provider)}
	case len(text) < trace.MinSecret, len(text) > secretstore.MaxSecret, !utf8.ValidString(text), strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return "", notKey{console.Usage("this is not a key: it is one word of at least %d and at most %d letters, digits and signs", trace.MinSecret, secretstore.MaxSecret).
			Hinting("copy it again from the provider's page of keys")}
	}
	return text, nil
}

// shown is how many models are listed.
const shown = 30

// listed returns the models to list, and the text of the list.
func listed(names []string, usual string) ([]string, string) {
	if i := slices.Index(names, usual); i > 0 {
		names = slices.Concat([]string{usual}, names[:i], names[i+1:])
	}
	var b strings.Builder
	for i, name := range names {
		if i == shown {
			b.WriteString("     and " + strconv.Itoa(len(names)-shown) + " more: type the name\n")
			break
		}
		b.WriteString(pad(strconv.Itoa(i+1)) + "  " + ui.OneLine(name) + "\n")
	}
	return names, b.String()
}

func pad(n string) string { return strings.Repeat(" ", max(3-len(n), 0)) + n }
