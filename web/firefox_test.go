//go:build !js

package web_test

import "testing"

// inFirefox and inFirefoxFirst have the tests of the page that also run in Firefox.
// TestParityInFirefox plays the parity cases there, custom tools among them. These are left out: TestKeyboardAlone, because after
// the last element of a page Tab moves to Firefox's own controls, from which a test does not
// return; TestFolder, because WebDriver BiDi cannot choose a folder; TestFilesView, because
// the editor's completion closes when another window gets the focus; TestMarkdownIsLinear,
// which uses Chromium's counters; TestNoRoom, because the quota of Firefox cannot be set;
// TestViews, because the document is the same; and TestNothingLeaves, which uses Chromium's
// name resolution.
var inFirefox = map[string]func(*testing.T){
	// the person's flows
	"TestApprovalByKeyboard":          TestApprovalByKeyboard,
	"TestReload":                      TestReload,
	"TestOffline":                     TestOffline,
	"TestHostileText":                 TestHostileText,
	"TestApprovalShowsAll":            TestApprovalShowsAll,
	"TestNewProject":                  TestNewProject,
	"TestAssistantInThePage":          TestAssistantInThePage,
	"TestProjectFromTemplate":         TestProjectFromTemplate,
	"TestApprovalsEndWithThePage":     TestApprovalsEndWithThePage,
	"TestStoppingAnExchange":          TestStoppingAnExchange,
	"TestStagedChanges":               TestStagedChanges,
	"TestUndoInThePage":               TestUndoInThePage,
	"TestTraceTurnByTurn":             TestTraceTurnByTurn,
	"TestConversationsOutliveAReload": TestConversationsOutliveAReload,
	"TestTraceFromTheCommandLine":     TestTraceFromTheCommandLine,
	"TestPolicyHoldsInWorkers":        TestPolicyHoldsInWorkers,
	"TestNothingIsLost":               TestNothingIsLost,
	"TestNothingKept":                 TestNothingKept,
	"TestProjectsAtOnce":              TestProjectsAtOnce,
	"TestReasoningIsFolded":           TestReasoningIsFolded,

	// golem.js
	"TestTwoTabs":           TestTwoTabs,
	"TestDeathWhileRunning": TestDeathWhileRunning,
	"TestDeepNesting":       TestDeepNesting,
	"TestTabsThatPush":      TestTabsThatPush,
}

// inFirefoxFirst has those that make test plays, which leaves the others to make check.
var inFirefoxFirst = map[string]func(*testing.T){
	"TestFirstVisit":       TestFirstVisit,
	"TestStop":             TestStop,
	"TestProvided":         TestProvided,
	"TestProjectsAndFiles": TestProjectsAndFiles,
}

// TestFirefoxFirst plays the tests of inFirefoxFirst in the Firefox of TestFirefox.
func TestFirefoxFirst(t *testing.T) {
	t.Parallel()
	for name, play := range inFirefoxFirst {
		t.Run(name, play)
	}
}

// TestFirefox plays the tests of inFirefox in one Firefox.
func TestFirefox(t *testing.T) {
	t.Parallel()
	for name, play := range inFirefox {
		t.Run(name, play)
	}
}
