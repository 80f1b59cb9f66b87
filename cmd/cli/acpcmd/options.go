package acpcmd

import (
	"context"
	"slices"

	acp "github.com/coder/acp-go-sdk"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/run"
	"golem/core/ui"
)

// The options of a session.
const (
	modeOption  acp.SessionConfigId = "mode"
	modelOption acp.SessionConfigId = "model"
)

// permissions are the modes that a client can choose. A session begins with the first, unless
// the approval mode of the project or the command line is another one.
var permissions = []approval.Permission{approval.AskFirst, approval.Edits, approval.Plan}

// modeNames are the names of the modes, for people.
var modeNames = map[approval.Permission]string{approval.AskFirst: "Ask", approval.Edits: "Edits", approval.Plan: "Plan"}

// modes returns the modes with the one that counts. The caller holds the lock.
func (s *session) modes() *acp.SessionModeState {
	out := &acp.SessionModeState{CurrentModeId: acp.SessionModeId(s.permission)}
	if s.permission == "" {
		out.CurrentModeId = acp.SessionModeId(approval.AskFirst)
		if mode := s.approvalMode(); mode != approval.Interactive {
			out.CurrentModeId = acp.SessionModeId(mode)
			out.AvailableModes = append(out.AvailableModes, acp.SessionMode{
				Id: acp.SessionModeId(mode), Name: string(mode), Description: acp.Ptr("the approval mode with which the session began"),
			})
		}
	}
	for _, p := range permissions {
		out.AvailableModes = append(out.AvailableModes, acp.SessionMode{Id: acp.SessionModeId(p), Name: modeNames[p], Description: acp.Ptr(ui.PermissionText(p))})
	}
	return out
}

// approvalMode returns the approval mode of the project with the command line.
func (s *session) approvalMode() approval.Mode {
	if s.inst == nil || s.inst.Project().Approval.Mode == "" {
		return approval.Interactive
	}
	return s.inst.Project().Approval.Mode
}

// options returns the options of the session with their values.
func (s *session) options() []acp.SessionConfigOption {
	s.mu.Lock()
	defer s.mu.Unlock()
	var modes acp.SessionConfigSelectOptionsUngrouped
	now := s.modes()
	for _, m := range now.AvailableModes {
		modes = append(modes, acp.SessionConfigSelectOption{Value: acp.SessionConfigValueId(m.Id), Name: m.Name, Description: m.Description})
	}
	return []acp.SessionConfigOption{
		selection(modeOption, "Permission", acp.SessionConfigOptionCategoryMode, string(now.CurrentModeId), modes),
		selection(modelOption, "Model", acp.SessionConfigOptionCategoryModel, s.shown, s.models()),
	}
}

// selection returns an option with texts as values.
func selection(id acp.SessionConfigId, name string, kind acp.SessionConfigOptionCategory, now string, all acp.SessionConfigSelectOptionsUngrouped) acp.SessionConfigOption {
	return acp.SessionConfigOption{Select: &acp.SessionConfigOptionSelect{
		Id: id, Name: name, Category: &kind, CurrentValue: acp.SessionConfigValueId(now), Options: acp.SessionConfigSelectOptions{Ungrouped: &all}, Type: "select",
	}}
}

// models returns the models to choose from: the one in use, those that the workers name, and
// those that were chosen before. No provider is asked. The caller holds the lock.
func (s *session) models() (out acp.SessionConfigSelectOptionsUngrouped) {
	add := func(name string) {
		has := func(o acp.SessionConfigSelectOption) bool { return string(o.Value) == name }
		if !slices.ContainsFunc(out, has) {
			label := ui.OneLine(name)
			if name == "" {
				label = "none chosen yet (/model NAME)"
			}
			out = append(out, acp.SessionConfigSelectOption{Value: acp.SessionConfigValueId(name), Name: label})
		}
	}
	add(s.shown)
	if s.entry != nil {
		for _, name := range append([]string{s.entry.Model}, s.entry.CompatibleModels...) {
			if plainModel(name) {
				add(name)
			}
		}
	}
	return out
}

// plainModel reports whether a name is that of one model, and no pattern.
func plainModel(name string) bool {
	return name != "" && !slices.ContainsFunc([]rune(name), func(r rune) bool { return r == '*' || r == '?' || r == '[' })
}

// permit sets the mode.
func (s *session) permit(name string) error {
	p := approval.Permission(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.permission == "" && name == string(s.approvalMode()):
		return nil
	case !slices.Contains(permissions, p):
		return fault.New(fault.Usage, "a session has no mode %s", fault.Quoted(name)).Hinting("ask, edits or plan")
	case s.chat != nil && s.chat.live != nil:
		live := s.chat.live
		s.mu.Unlock()
		err := live.Approvals().Permit(p) // its event sets s.permission
		s.mu.Lock()
		return err
	case p == approval.Edits && s.approvalMode() == approval.AutoDeny:
		return fault.New(fault.Usage, "the permission edits approves calls, and this session denies all that ask (approval mode auto_deny)").
			Hinting("start it without --deny-all")
	}
	s.permission = p
	return nil
}

// permitted notes a mode that counts from now on, and tells the client.
func (s *session) permitted(p approval.Permission) {
	s.mu.Lock()
	s.permission = p
	s.mu.Unlock()
	s.agent.update(s.id, acp.SessionUpdate{CurrentModeUpdate: &acp.SessionCurrentModeUpdate{CurrentModeId: acp.SessionModeId(p)}})
	s.tellOptions()
}

// tellOptions sends the options to the client.
func (s *session) tellOptions() {
	s.agent.update(s.id, acp.SessionUpdate{ConfigOptionUpdate: &acp.SessionConfigOptionUpdate{ConfigOptions: s.options()}})
}

// useModel makes the session use another model from its next prompt on.
func (s *session) useModel(ctx context.Context, name string) error {
	if name == "" {
		return fault.New(fault.Usage, "the name of the model is empty").Hinting("for example openai:gpt-5-mini; /model lists what can be used")
	}
	if s.busy() {
		return fault.New(fault.Busy, "the model cannot change while a prompt is answered").Hinting("try again when it has ended")
	}
	var failed error
	begun, err := s.inChat(ctx, func(live *run.Session) { failed = live.UseModel(ctx, name) })
	switch {
	case err != nil:
		return err
	case failed != nil:
		return failed
	case !begun:
		inst, entry, err := s.agent.open(s.root, name)
		if err == nil {
			_, err = inst.Models().Open(ctx, entry)
		}
		if err != nil && fault.Of(err, fault.Model).Code != fault.Trust { // the first prompt asks for it
			return err
		}
		s.mu.Lock()
		s.inst, s.entry, s.files = inst, entry, shownTo(inst, entry)
		s.mu.Unlock()
	}
	s.mu.Lock()
	s.model, s.shown = name, name
	s.mu.Unlock()
	return nil
}

// slashCommands returns the slash commands that a client can offer.
func slashCommands() []acp.AvailableCommand {
	var out []acp.AvailableCommand
	for _, a := range ui.Actions() {
		if a.Command == "" || a.Command == ui.Exit || a.Command == ui.Call || a.Host && !hosted(a.Command) {
			continue
		}
		one := acp.AvailableCommand{Name: string(a.Command), Description: a.Help}
		if a.Args != "" {
			one.Input = &acp.AvailableCommandInput{Unstructured: &acp.UnstructuredCommandInput{Hint: a.Args}}
		}
		out = append(out, one)
	}
	return out
}

// hosted reports whether a command that needs this machine can be carried out for an editor:
// it needs no terminal, and reads or writes no file of the person's choice.
func hosted(name ui.CommandName) bool {
	switch name {
	case ui.Model, ui.Clearance, ui.Approvals:
		return true
	}
	return false
}

// tellCommands sends the slash commands to the client.
func (s *session) tellCommands() {
	s.agent.update(s.id, acp.SessionUpdate{AvailableCommandsUpdate: &acp.SessionAvailableCommandsUpdate{AvailableCommands: slashCommands()}})
}

// tellChanges tells the client of a model and a title that are new since the last time.
func (s *session) tellChanges(live *run.Session) {
	model, title := live.Model(), run.TitlesOf(live).Now()
	s.mu.Lock()
	other, named := model != s.shown, title != "" && title != s.titled
	s.shown, s.titled = model, title
	s.mu.Unlock()
	if other {
		s.tellOptions()
	}
	if named {
		s.agent.update(s.id, acp.SessionUpdate{SessionInfoUpdate: &acp.SessionSessionInfoUpdate{Title: &title}})
	}
}
