//go:build !js

package web_test

import "testing"

// inFirefox has the tests of the page that also run in Firefox. TestParity plays the parity
// cases there, custom tools among them. These are left out: TestKeyboardAlone, because after
// the last element of a page Tab moves to Firefox's own controls, from which a test does not
// return; TestFolder, because WebDriver BiDi cannot choose a folder; TestFilesView, because
// the editor's completion closes when another window gets the focus; TestMarkdownIsLinear,
// which uses Chromium's counters; TestNoRoom, because the quota of Firefox cannot be set;
// TestViews, because the document is the same; and TestNothingLeaves, which uses Chromium's
// name resolution.
var inFirefox = map[string]func(*testing.T){
	// the person's flows
	"TestFirstVisit":                  TestFirstVisit,
	"TestApprovalByKeyboard":          TestApprovalByKeyboard,
	"TestReload":                      TestReload,
	"TestStop":                        TestStop,
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
	"TestProvided":          TestProvided,
	"TestTwoTabs":           TestTwoTabs,
	"TestDeathWhileRunning": TestDeathWhileRunning,
	"TestDeepNesting":       TestDeepNesting,
	"TestTabsThatPush":      TestTabsThatPush,
	"TestProjectsAndFiles":  TestProjectsAndFiles,
}

// TestFirefox plays the tests of inFirefox in one Firefox.
func TestFirefox(t *testing.T) {
	t.Parallel()
	for name, play := range inFirefox {
		t.Run(name, play)
	}
}
