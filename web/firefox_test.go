//go:build !js

package web_test

import "testing"

// inFirefox are the flows of the page that are played in Firefox too; the parity
// cases, custom tools among them, are played there by TestParity. Left out are: the walk
// by keyboard (TestKeyboardAlone: behind the last thing of a page Tab leads to Firefox's own
// controls, from which a test does not come back); a folder (TestFolder: WebDriver BiDi
// chooses no folder); the editor's completion (TestFilesView), which ends when another
// window gets the keys; the measures of Chromium's own counters (TestMarkdownIsLinear); a
// full disk (TestNoRoom), which Firefox cannot be told of; pictures and axe (TestViews: the
// same document); and the world outside (TestNothingLeaves: Chromium resolves its names).
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
