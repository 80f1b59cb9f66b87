package main

// leaveTerminal has nothing to do: scripts run golem with --headless there.
func leaveTerminal() {}

// gone is for scripts that run on Unix alone.
func gone(int) bool { return false }
