package mcpset

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golem/core/tool"
)

// catalogue has tools as public servers name and describe them.
const catalogue = `read_text_file Reads the whole content of a file as text
write_file Creates a new file or overwrites an existing one with new content
edit_file Makes line-based edits to a text file and returns a diff
list_directory Lists files and directories in a path
search_files Searches recursively for files and directories that match a pattern
move_file Moves or renames files and directories
create_directory Creates a new directory or ensures that it exists
get_file_info Returns metadata about a file: size, time of change, permissions
sql Runs a statement on the database and returns its rows
list_tables Lists the tables of a database schema
describe_table Returns the columns and types of a table
explain_plan Shows the plan of a statement without running it
create_issue Opens a new issue in a repository
list_issues Lists the issues of a repository, with filters
add_issue_comment Adds a comment to an existing issue
create_pull_request Creates a new pull request
merge_pull_request Merges a pull request
get_pull_request_files Returns the files that were changed in a pull request
search_code Searches for code across repositories
create_branch Creates a new branch in a repository
list_commits Lists the commits of a branch
fork_repository Forks a repository to your account
browser_navigate Opens an address in the page
browser_click Clicks an element on the page
browser_take_screenshot Takes an image of the current page
browser_fill_form Fills in several fields of a form
browser_console_messages Returns all messages of the console
slack_post_message Posts a message to a channel
slack_list_channels Lists the public channels of the workspace
slack_add_reaction Adds an emoji reaction to a message
slack_get_users Returns all users of the workspace with their profiles
send_email Sends an email to one or more recipients
search_emails Searches the mailbox
create_event Creates an event in the calendar
list_events Lists the events of a calendar between two dates
convert_time Converts a time between time zones
get_current_time Returns the current time in a time zone
brave_web_search Searches the web for pages, news and articles
fetch Fetches an address from the internet and extracts its contents as markdown
maps_geocode Converts a street address into coordinates
maps_directions Returns directions between two points
get_forecast Returns the weather forecast for a location
get_alerts Returns severe weather warnings for a state
create_entities Creates entities in the knowledge graph
search_nodes Searches for nodes in the knowledge graph
delete_relations Deletes relations from the knowledge graph
sequential_thinking Solves problems step by step with revisable thoughts
list_containers Lists the containers of the machine
get_logs Returns the log lines of a container
restart_container Restarts a container
upload_object Stores an object in a bucket
list_buckets Lists the buckets of the account
create_invoice Creates an invoice for a customer
list_customers Lists the customers of the account
refund_payment Refunds a payment, whole or in part
translate_text Translates a text into another language
resize_image Changes the width and height of an image
extract_pdf_text Extracts the text of a PDF document
run_python Runs Python code in a sandbox
query_metrics Runs a query over time series and returns the values`

// What people and models ask for is among the tools that one search offers.
func TestNaturalQueries(t *testing.T) {
	var specs []tool.Spec
	for _, line := range strings.Split(catalogue, "\n") {
		name, about, _ := strings.Cut(line, " ")
		specs = append(specs, tool.Spec{Name: "srv__" + name, Description: "(MCP server srv) " + about})
	}
	found := 0
	for query, want := range map[string]string{
		"run a SQL query": "sql", "what columns does the table have": "describe_table", "open a pull request": "create_pull_request",
		"post in a slack channel": "slack_post_message", "take a screenshot of the page": "browser_take_screenshot", "what is the weather tomorrow": "get_forecast",
		"send an e-mail to Bob": "send_email", "read the contents of a file": "read_text_file", "rename a file": "move_file",
		"show me the logs of the container": "get_logs", "give the customer his money back, refund": "refund_payment", "translate this to French": "translate_text",
		"find code that calls a function": "search_code", "comment on the issue": "add_issue_comment", "make a new git branch": "create_branch",
		"put a meeting into my calendar": "create_event", "what time is it in Tokyo": "get_current_time", "look something up on the web": "brave_web_search",
		"text of a PDF": "extract_pdf_text", "make the image smaller, resize": "resize_image", "execute python": "run_python",
		"which tables are in the database": "list_tables", "download a page from the internet as markdown": "fetch", "remember entities": "create_entities",
	} {
		all := rank(specs, query)
		i := slices.IndexFunc(all, func(r ranked) bool { return r.spec.Name == "srv__"+want })
		if i < 0 || i >= mostFound {
			t.Errorf("%s: %s is at %d", query, want, i)
			continue
		}
		found++
	}
	if found != 24 {
		t.Errorf("%d of 24 queries find their tool", found)
	}
}

// Short words and words that all tools have say nothing; a rare word decides.
func TestRareWordsDecide(t *testing.T) {
	var specs []tool.Spec
	for i := range 40 {
		specs = append(specs, tool.Spec{Name: fmt.Sprintf("run_a_query_%d", i), Description: "Runs a query for an end"})
	}
	specs = append(specs, tool.Spec{Name: "sql", Description: "Statements"})
	if all := rank(specs, "run a SQL query"); all[0].spec.Name != "sql" {
		t.Errorf("%+v", all[0])
	}
	if all := rank(specs, "an to of it"); len(all) > 0 {
		t.Errorf("%d tools have words of two letters", len(all))
	}
}

// Above the limit the first tools of each server stay offered, as many as leave room for a
// search.
func TestOfferedAboveTheLimit(t *testing.T) {
	var one, two []string
	for i := range 32 {
		one = append(one, fmt.Sprint("one__", i))
	}
	two = append(two, "two__a", "two__b")
	f := &found{}
	if f.choose([][]string{one[:28], two}) || f.hidden("one__27") {
		t.Error("30 tools are too many")
	}
	if !f.choose([][]string{one, two}) {
		t.Error("34 tools are not too many")
	}
	offered := 0
	for _, name := range append(one, two...) {
		if !f.hidden(name) {
			offered++
		}
	}
	if offered != mostOffered-1-mostFound || f.hidden("one__0") || f.hidden("two__b") || !f.hidden("one__31") {
		t.Errorf("%d are offered", offered)
	}
}
