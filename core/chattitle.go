package core

import (
	"cmp"
	"context"

	"golem/core/fault"
	"golem/core/run"
	"golem/core/trace"
)

// title carries out /title, and returns what to say and the title. Without words the model makes
// a title, or the title is shown if it cannot.
func (c *chat) title(ctx context.Context, words string) (text, title string, err error) {
	s := c.session
	switch {
	case words != "":
		title, err = run.TitlesOf(s).Set(words)
	case run.TitlesOf(s).CanMake():
		title, err = run.TitlesOf(s).Make(ctx)
	default:
		title = run.TitlesOf(s).Now()
	}
	if err != nil {
		return "", "", err
	}
	return titleSaid + cmp.Or(title, "the first line of your first message"), title, nil
}

// titleSaid begins the line that says what the title of a conversation is now.
const titleSaid = "the title is "

// entitle lets the model make the title of a new conversation after its first answer, if the
// person's configuration says so.
func (c *chat) entitle(ctx context.Context, res run.Result) {
	if !c.titles || res.Error != nil || !run.TitlesOf(c.session).CanMake() {
		return
	}
	c.titles = false
	within, stop := c.options.host().Exchange(ctx)
	defer stop()
	title, err := run.TitlesOf(c.session).Make(within)
	switch {
	case err == nil:
		c.session.Show(trace.Status{Level: "info", Text: titleSaid + title, Title: title})
	case within.Err() == nil:
		c.session.Say("warn", "the model made no title, so the first line of your first message is the title: "+fault.Of(err, fault.Model).Message)
	}
}
