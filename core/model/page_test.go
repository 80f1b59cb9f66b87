package model

import (
	"errors"
	"net/http"
	"testing"

	"golem/core/fault"
)

// TestWordsOfThePage tests that the page, which has settings and buttons, shows other words
// where a message or a hint is about flags and variables.
func TestWordsOfThePage(t *testing.T) {
	m := open(t, "groq:qwen", Config{HTTP: &player{}, Env: env(map[string]string{"GROQ_API_KEY": "k"})}).(*remote)
	for status, want := range map[int]fault.PageWords{
		401: {Message: "groq refused your key (401)", Hint: "check it in the settings: it must be a whole, valid key for api.groq.com"},
		402: {Hint: "check the account that your key belongs to, or choose another model"},
		403: {Hint: "your key may not include this model; choose another model"},
		404: {Hint: "check the model's name (as groq calls it); if it is right, check the address in the settings (now api.groq.com)"},
		429: {Hint: "wait, check the quota of the account, or choose another model"},
		500: {Hint: "try again later, or choose another model"},
		400: {Hint: "check that qwen supports the request, or choose another model"},
	} {
		if _, do := m.status(status, " (401)"); do.page == nil || *do.page != want {
			t.Errorf("%d: %+v", status, do.page)
		}
	}
	m.end.key = ""
	if _, do := m.status(http.StatusUnauthorized, ""); *do.page != (fault.PageWords{Hint: "enter its key in the settings"}) {
		t.Errorf("without a key: %+v", do.page)
	}
	for err, want := range map[error]fault.PageWords{
		m.unreachable(errors.New("no such host")): {Hint: "check the network; if the address is wrong, change it in the settings"},
		m.noList("no"):             {Hint: "check the address in the settings (now api.groq.com), or look for the names on the provider's pages"},
		refusedBy("openai:m", nil): {Message: "there is no key for openai", Hint: "enter its key in the settings, or choose another model"},
		refusedBy("", nil):         {Hint: "choose one, for example openai:gpt-5-mini"},
		refusedBy("azure:m", nil):  {Hint: "enter the address in the settings, for example https://NAME.openai.azure.com/openai/v1"},
		refusedBy("openai:m", map[string]string{"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "https://u:p@a"}): {Hint: "write only scheme, host and path; enter the key in its own field"},
		(&failure{}).fault(fault.Model, raiseTimeout):                                                       {Hint: "raise limits.model_timeout, or try another model"},
		(&failure{}).fault(fault.Model, otherwise):                                                          {Hint: "write the task in another way, or choose another model"},
		(&failure{}).fault(fault.Model, m.finalAddress()):                                                   {Hint: "enter the final address in the settings if you trust it"},
		NotLent("page:m"): {Hint: "choose another model"},
	} {
		if got := fault.Of(err, ""); got.Page == nil || *got.Page != want {
			t.Errorf("%v: %+v", err, got.Page)
		}
	}
}

// refusedBy returns the error of opening a model.
func refusedBy(name string, all map[string]string) error {
	_, err := Open(name, Config{HTTP: &player{}, Env: env(all)})
	return err
}
