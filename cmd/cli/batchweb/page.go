package batchweb

import (
	"fmt"
	"html"
	"net/http"
	"strings"

	"golem/core/approval"
	"golem/core/batch"
	"golem/core/fault"
	"golem/core/ui"
)

// How much one page shows; the questions after it follow when these are answered.
const (
	mostQuestions = 20
	mostText      = 2 << 20 // bytes
	mostItems     = 3       // that are named at a question
)

// columns is how wide the lines of a question are.
const columns = 96

// text returns text that is safe in HTML and shows what cannot be seen as escapes.
func text(s string) string { return html.EscapeString(ui.Safe(s)) }

// write answers with a page.
func write(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body)) // the browser may have left
}

// document returns a page with a title and what its body has.
func document(title, attributes, body string) string {
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>` + text(title) + `</title>
<link rel="stylesheet" href="page.css">
<script src="page.js" defer></script>
</head>
<body` + attributes + `>
<main>
` + body + `</main>
</body>
</html>
`
}

// page returns the page with the questions and what is staged.
func page(now Now) string {
	var out strings.Builder
	fmt.Fprintf(&out, "<h1>%s</h1>\n<p id=\"line\" role=\"status\">%s</p>\n<p id=\"means\">%s</p>\n", text(now.Name), text(now.Line), text(now.Means))
	out.WriteString("<p id=\"changed\" hidden>There is something new. <a href=\"./\">Show it</a></p>\n")
	items := 0
	for _, g := range now.Groups {
		items += len(g.Items)
	}
	if items > 0 {
		fmt.Fprintf(&out, "<h2>%s of %s</h2>\n", fault.Count(len(now.Groups), "question"), fault.Count(items, "item"))
	} else {
		out.WriteString("<h2>No item waits for an answer</h2>\n")
	}
	for n, g := range now.Groups {
		if n == mostQuestions || n > 0 && out.Len() > mostText {
			fmt.Fprintf(&out, "<p>And %s more, after these.</p>\n", fault.Count(len(now.Groups)-n, "question"))
			break
		}
		question(&out, n, g, batch.Proposed(g.Question, now.Groups))
	}
	stagedList(&out, now.Staged)
	return document("golem batch "+now.Name, ` data-digest="`+now.digest()+`"`, out.String())
}

// question writes one question with its answers. They come after all of its text: a yes counts
// for what was shown (SPEC §7).
func question(out *strings.Builder, n int, g batch.Group, proposed map[string]string) {
	r := g.Question.Request
	r.Answers = []approval.Answer{approval.Yes, approval.No}
	lines, complete := ui.RequestView(r, columns, false, true)
	named := strings.Join(g.Items[:min(len(g.Items), mostItems)], ", ")
	if len(g.Items) > mostItems {
		named += ", …"
	}
	fmt.Fprintf(out, "<article aria-labelledby=\"q%d\">\n<h3 id=\"q%d\">%s <span class=\"risk %s\">%s</span></h3>\n", n, n, text(heading(r)), riskClass(r.Risk), text(riskText(r)))
	fmt.Fprintf(out, "<p>Asked by %s of the batch: %s</p>\n<pre>%s</pre>\n", fault.Count(len(g.Items), "item"), text(ui.OneLine(named)), html.EscapeString(strings.Join(lines, "\n")))
	fmt.Fprintf(out, "<form method=\"post\" action=\"answer\" class=\"ask\">\n<input type=\"hidden\" name=\"question\" value=\"%s\">\n", html.EscapeString(g.Question.Key))
	if r.Kind == approval.KindInput {
		out.WriteString("<label>Your answer (never give a key or a password)\n<input name=\"text\" autocomplete=\"off\"></label>\n")
		answers(out, "Answer", "No answer")
	} else {
		out.WriteString("<label>Reason, if you say no (the worker reads it)\n<input name=\"reason\" autocomplete=\"off\"></label>\n")
		if complete {
			answers(out, "Yes", "No")
		} else { // not seen whole: nobody can say yes here
			out.WriteString("<p>This question is too large for this page: answer it with golem batch questions.</p>\n<div class=\"answers\"><button name=\"answer\" value=\"no\">No</button></div>\n")
		}
	}
	out.WriteString("</form>\n")
	if g.Question.Of != "" {
		fmt.Fprintf(out, "<form method=\"get\" action=\"rule\" class=\"rule\">\n<input type=\"hidden\" name=\"question\" value=\"%s\">\n<label>One answer for all calls of %s that match ARG=PATTERN (%s: any arguments)\n<input name=\"when\" value=\"%s\" autocomplete=\"off\"></label>\n<button>Show what it covers</button>\n</form>\n",
			html.EscapeString(g.Question.Key), text(ui.OneLine(r.Tool)), approval.AnyArguments, text(approval.Conditions(proposed)))
	}
	out.WriteString("</article>\n")
}

// answers writes the buttons of an answer. No is the first, so that Enter in a field is no yes.
func answers(out *strings.Builder, yes, no string) {
	fmt.Fprintf(out, "<div class=\"answers\"><button name=\"answer\" value=\"no\">%s</button><button name=\"answer\" value=\"yes\" class=\"yes\">%s</button></div>\n", no, yes)
}

// heading returns what is asked, in one line.
func heading(r approval.Request) string {
	switch {
	case r.Kind == approval.KindInput && len(r.WorkerPath) > 0:
		return ui.OneLine(r.WorkerPath[len(r.WorkerPath)-1]) + " asks you"
	case r.Kind == approval.KindInput:
		return "A worker asks you"
	case r.Kind != approval.KindTool:
		return ui.Brief(r.Title)
	}
	return "Allow this call of " + ui.OneLine(r.Tool) + "?"
}

func riskText(r approval.Request) string {
	if r.Kind == approval.KindInput || r.Risk == "" {
		return ""
	}
	return r.Risk + " risk"
}

// riskClass returns the class of a risk; a risk that golem does not know has none.
func riskClass(risk string) string {
	switch risk {
	case "low", "medium", "high":
		return risk
	}
	return ""
}

// ruled is a rule whose calls are shown.
type ruled struct{ key, words, shown, calls string }

// rulePage returns the page with all calls that a rule covers, and the answers after them.
func rulePage(r ruled) string {
	var out strings.Builder
	fmt.Fprintf(&out, "<h1>One answer for all these calls?</h1>\n<pre>%s</pre>\n<form method=\"post\" action=\"answer\" class=\"ask\">\n", text(r.calls))
	for _, field := range [][2]string{{"question", r.key}, {"when", r.words}, {"shown", r.shown}} {
		fmt.Fprintf(&out, "<input type=\"hidden\" name=\"%s\" value=\"%s\">\n", field[0], html.EscapeString(field[1]))
	}
	out.WriteString("<label>Reason, if you say no (the worker reads it)\n<input name=\"reason\" autocomplete=\"off\"></label>\n")
	answers(&out, "Yes to all of them", "No to all of them")
	out.WriteString("</form>\n<p><a href=\"./\">Back, without a rule</a></p>\n")
	return document("golem batch: a rule", "", out.String())
}

// failPage returns the page that shows an error.
func failPage(f *fault.Fault) string {
	body := "<h1>" + text(string(f.Code)) + "</h1>\n<p>" + text(f.Message) + "</p>\n"
	if f.Hint != "" {
		body += "<p>" + text(f.Hint) + "</p>\n"
	}
	return document("golem batch: "+string(f.Code), "", body+"<p><a href=\"./\">Back</a></p>\n")
}
