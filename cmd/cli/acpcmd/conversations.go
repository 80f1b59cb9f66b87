package acpcmd

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"golem/core"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/ui"

	"golem/cmd/cli/target"
)

// newSession begins a conversation.
func (a *agent) newSession(_ context.Context, p acp.NewSessionRequest) (out acp.NewSessionResponse, err error) {
	s, err := a.opened(acp.SessionId(core.NewRunID(time.Now())), p.Cwd, p.McpServers)
	if err != nil {
		return out, err
	}
	a.mu.Lock()
	a.later[s.id] = s.tellCommands
	a.mu.Unlock()
	out.SessionId, out.ConfigOptions = s.id, s.options()
	s.mu.Lock()
	defer s.mu.Unlock()
	out.Modes = s.modes()
	return out, nil
}

// opened opens a root and adds a session of it.
func (a *agent) opened(id acp.SessionId, cwd string, servers []acp.McpServer) (*session, error) {
	s, err := a.sessionIn(id, cwd, servers)
	if err != nil {
		return nil, err
	}
	if err := a.add(s); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// sessionIn returns a session of the root of a cwd, with the servers of the client.
func (a *agent) sessionIn(id acp.SessionId, cwd string, servers []acp.McpServer) (*session, error) {
	given, err := serversOf(servers)
	if err != nil {
		return nil, err
	}
	r, err := a.rootOf(cwd)
	if err != nil {
		return nil, err
	}
	r.servers = given
	return a.newSessionOf(id, r)
}

// resumed opens a kept conversation as a session. show is called with what was said, before the
// session can be used.
func (a *agent) resumed(id acp.SessionId, cwd string, servers []acp.McpServer, show func(*session, *conversation.Kept)) (*session, error) {
	a.mu.Lock()
	open := a.sessions[id]
	a.mu.Unlock()
	if open != nil && open.busy() {
		return nil, fault.New(fault.Busy, "the session %s answers a prompt at the moment", fault.Quoted(string(id))).Hinting("send session/cancel first")
	}
	s, err := a.sessionIn(id, cwd, servers)
	if err != nil {
		return nil, err
	}
	k, err := keptConversation(s.inst, s.entry, string(id))
	if err == nil {
		s.conversation, s.titled = k.ID, k.Title()
		if k.Model != "" {
			s.shown = k.Model
		}
		err = a.add(s)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	show(s, k)
	s.tellCommands()
	return s, nil
}

// loadSession opens a kept conversation and sends all that was said in it.
func (a *agent) loadSession(_ context.Context, p acp.LoadSessionRequest) (out acp.LoadSessionResponse, err error) {
	s, err := a.resumed(p.SessionId, p.Cwd, p.McpServers, (*session).replay)
	if err != nil {
		return out, err
	}
	out.ConfigOptions = s.options()
	s.mu.Lock()
	defer s.mu.Unlock()
	out.Modes = s.modes()
	return out, nil
}

// resumeSession opens a kept conversation of which the client has all that was said.
func (a *agent) resumeSession(_ context.Context, p acp.ResumeSessionRequest) (out acp.ResumeSessionResponse, err error) {
	s, err := a.resumed(p.SessionId, p.Cwd, p.McpServers, func(*session, *conversation.Kept) {})
	if err != nil {
		return out, err
	}
	out.ConfigOptions = s.options()
	s.mu.Lock()
	defer s.mu.Unlock()
	out.Modes = s.modes()
	return out, nil
}

// maxPage is how many conversations one answer lists.
const maxPage = 100

// listSessions lists the kept conversations of a directory: of cwd, without it of DIR or of the
// directory in which golem was started.
func (a *agent) listSessions(_ context.Context, p acp.ListSessionsRequest) (out acp.ListSessionsResponse, err error) {
	out.Sessions = []acp.SessionInfo{}
	cwd := a.console.Dir
	if p.Cwd != nil {
		cwd = *p.Cwd
	} else if len(a.words) > 0 {
		if place, _, err := target.Find(newConsole(a.console), a.flags.Wanted(), a.words); err == nil && place.Sandbox() != "" {
			cwd = place.Sandbox()
		}
	}
	from := 0
	if p.Cursor != nil {
		if from, err = strconv.Atoi(*p.Cursor); err != nil || from < 0 {
			return out, fault.New(fault.Usage, "the cursor %s does not come from golem", fault.Quoted(*p.Cursor)).Hinting("list again without a cursor")
		}
	}
	r, err := a.rootOf(cwd)
	if err != nil {
		return out, err
	}
	defer r.close()
	inst, entry, err := a.open(r, "")
	if err != nil {
		return out, err
	}
	store := inst.Conversations()
	if store == nil {
		return out, nil
	}
	var all []conversation.Listing
	for _, l := range conversation.List(store) {
		if l.Error == nil && l.Worker == entry.ID && l.Messages > 0 {
			all = append(all, l)
		}
	}
	from = min(from, len(all))
	page := all[from:min(from+maxPage, len(all))]
	for _, l := range page {
		out.Sessions = append(out.Sessions, acp.SessionInfo{
			SessionId: acp.SessionId(l.ID), Cwd: r.dir, Title: acp.Ptr(ui.OneLine(l.Title)), UpdatedAt: acp.Ptr(l.Time),
		})
	}
	if next := from + len(page); next < len(all) {
		out.NextCursor = acp.Ptr(strconv.Itoa(next))
	}
	return out, nil
}

// replay sends what was said in a conversation.
func (s *session) replay(k *conversation.Kept) {
	send := func(u acp.SessionUpdate) { s.agent.update(s.id, u) }
	for i, one := range k.Said() {
		switch one.Who {
		case "you":
			send(acp.UpdateUserMessageText(ui.Safe(one.Whole())))
		case "golem":
			send(acp.UpdateAgentMessageText(ui.Safe(one.Text)))
		case "thought":
			send(acp.UpdateAgentThoughtText(ui.Safe(one.Text)))
		case "tool":
			s.replayCall(fmt.Sprintf("kept-%d-%s", i, one.ID), one)
		default:
			text := one.Text
			if one.Error != nil {
				text = strings.TrimSpace(text + "\n" + one.Error.Error())
			}
			send(acp.UpdateAgentMessageText("\n\n" + ui.Safe(text) + "\n\n"))
		}
	}
}

// replayCall sends a call that has ended, or was cut off.
func (s *session) replayCall(id string, one conversation.Said) {
	args := json.RawMessage(one.Args)
	u := acp.SessionUpdateToolCall{
		ToolCallId: acp.ToolCallId(id), Title: ui.CallLine(one.Tool, args), Kind: kindOf(one.Tool, "builtin"), RawInput: rawArgs(args),
		Status: acp.ToolCallStatusCompleted,
	}
	text := one.Text
	if one.Error != nil {
		text = one.Error.Error()
	}
	if one.Error != nil || !one.Done {
		u.Status = acp.ToolCallStatusFailed
	}
	if text != "" {
		u.Content = []acp.ToolCallContent{textContent(ui.Safe(text))}
	}
	s.agent.update(s.id, acp.SessionUpdate{ToolCall: &u})
}
