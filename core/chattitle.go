package core

import (
	"cmp"
	"context"

	"golem/core/fault"
	"golem/core/run"
	"golem/core/trace"
)

// titleSaid begins the line that says what the title of a conversation is now.
const titleSaid = "the title is "

// carryOutTitle carries out /title, and returns what to say and the title. Without words the model
// makes a title, or the title is shown if it cannot.
func carryOutTitle(ctx context.Context, s *run.Session, words string) (text, title string, err error) {
	switch titles := run.TitlesOf(s); {
	case words != "":
		title, err = titles.Set(words)
	case titles.CanMake():
		title, err = titles.Make(ctx)
	default:
		title = titles.Now()
	}
	if err != nil {
		return "", "", err
	}
	return titleSaid + cmp.Or(title, "the first line of your first message"), title, nil
}

// makeTitle lets the model make the title of a conversation, and says it.
func makeTitle(ctx context.Context, s *run.Session, host ChatHost) {
	within, stop := host.Exchange(ctx)
	defer stop()
	title, err := run.TitlesOf(s).Make(within)
	switch {
	case err == nil:
		s.Show(trace.Status{Level: "info", Text: titleSaid + title, Title: title})
	case within.Err() == nil:
		s.Say("warn", "the model made no title, so the first line of your first message is the title: "+fault.Of(err, fault.Model).Message)
	}
}
